// Package worker is the training loop of one worker as a machine, around the
// host core of a protocol: compute, suffer the injected delays, reduce, update.
//
//	update i-1                                                       update i
//	|--- delay 0? --- compute 1/3 --- delay 1? --- 1/3 --- delay 2? --- 1/3 --- all-reduce ---|
//
// An iteration starts and ends at consecutive model updates of this worker.
// Compute takes the nominal time of the model's profile, however long the real
// gradient took; delays come from a schedule (package fault) and are served at
// their points (the Slow Worker Pattern of Trio §6.1). The three delay points
// split the compute into equal parts.
//
// A sleeping worker does nothing, but its interface still takes packets, as a
// transport thread beside the training thread does. When results of the whole
// generation are here before this worker had its turn (Trio-ML's degraded
// results), an awake worker drops its compute at once and a sleeping one when
// it wakes up: both apply what came and go on with the newest generation.
// Delay points that it so never reaches are not served.
//
// Where the collective is told that a worker is out of service (Trio §5, "Advanced
// straggler mitigation"), the others divide its share of the mini-batch among them,
// from a generation on that all agree on, and give it back when that one is back.
// They then compute longer: n/p of the nominal time, where p of n workers are present
// (assumed: compute time grows with the mini-batch; shares that differ by an image
// count as equal).
//
// All work on the model is done inside Computes, which the driver runs one
// after another, so that packets are handled while a gradient is computed.
package worker
