// Package bench is the record schema of the benchmarks, the results of each measurement, and
// their tables.
//
//	Measurement ─────► AllReduce ─┐
//	SimMeasurement ──► Sim ───────┼─► render.Table, or JSON with schema_version
//	AggregatorMeas. ─► Aggregator ┤
//	                   Topology ──┤
//	AllReduce ───────► Chip ──────┘
//
// The letters and the first columns of bench allreduce are those of nccl-tests
// (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md), in Gbit/s of payload instead of GB/s:
//
//	algbw     = size / time
//	busbw     = algbw * 2(n-1)/n, for n workers
//	aggregate = n * size / time
//
// A ring puts busbw on each link, so busbw compares with the rate of a link. A switch that adds
// puts each byte on a link once, so there algbw does.
//
// Left out: running anything.
package bench
