//! The tests of airtcp-scenario, one program: to link one per file takes longer than to run it.

mod cases;
mod congestion;
mod documents;
mod flow_tcp;
mod hops;
mod links;
mod linux;
mod live;
mod loss_rates;
mod paths;
mod queues;
mod refusals;
mod stops;
