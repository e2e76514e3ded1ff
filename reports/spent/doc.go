// Package spent says where the time of a run went.
//
//	|<-------------------- iteration of a worker -------------------->|
//	| compute | own delay | wire | waiting for others | resends | rest |
//
// All are means over workers and iterations. Compute is measured. The own delay is what was injected into the worker
// itself. Wire is the analytic time of an all-reduce on idle lines ([result.Cell.Wire]). Waiting is how much later than
// this worker the last one was ready to reduce; whoever that was is named. Resends are the time in which a block waited
// to be sent again, as the trace of the run has it. What is left is queues, switches, and the time of software.
//
// The parts are taken in this order, and none takes more than is left: so they always add up, and a system that does not
// wait for the last worker is not charged with it.
//
// Left out: what parts overlap, as where the fast workers send while the slow one computes.
package spent
