//! Nothing: the benchmarks are in `benches`, apart from what they measure, so that nobody who builds or tests
//! that builds `criterion` too.
