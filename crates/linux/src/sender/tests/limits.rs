//! Windows, small writes, buffers.
