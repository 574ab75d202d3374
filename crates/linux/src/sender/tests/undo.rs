//! Reductions that are taken back.
