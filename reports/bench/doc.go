// Package bench is the record schema of the benchmarks, what follows from each
// measurement, and how it is shown.
//
//	Measurement ─────► AllReduce ─┐
//	SimMeasurement ──► Sim ───────┼─► render.Table, or JSON with schema_version
//	                   Topology ──┤
//	AllReduce ───────► Chip ──────┘
//
// The letters and the first columns of bench allreduce are those of nccl-tests
// (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md), in Gbit/s of payload
// instead of GB/s:
//
//	algbw     = size / time
//	busbw     = algbw * 2(n-1)/n, for n workers
//	aggregate = n * size / time
//
// The factor of busbw is what a ring puts on each link, so that busbw can be
// held against the rate of the link. A switch that adds puts each byte on a
// link once: there, algbw is what compares with the link.
//
// Left out: running anything.
package bench
