//! Time per point at the corners of the paper's grid: `W_max` 24, `K` 3, `T_o` 100.

use airtcp_analysis::exact::{Problem, Variant, solve};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Independent losses, and Rayleigh fading with `f_d T = 0.01` as a two-state chain.
const CHANNELS: [(&str, f64, f64); 4] = [
    ("iid .001", 0.001, 0.999),
    ("iid .3", 0.3, 0.7),
    ("fading .01, .001", 0.0006712195754610238, 0.6705483558855627),
    ("fading .01, .1", 0.00812765184599974, 0.07314886661399767),
];

fn grid_corners(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exact");
    group.sample_size(10);
    for variant in Variant::ALL {
        for (name, p_gb, p_bg) in CHANNELS {
            let problem = Problem::new(variant, p_gb, p_bg);
            group.bench_function(BenchmarkId::new(variant.to_string(), name), |bencher| {
                bencher.iter(|| solve(&problem));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, grid_corners);
criterion_main!(benches);
