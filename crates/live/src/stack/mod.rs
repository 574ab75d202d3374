//! Connections without input or output.
