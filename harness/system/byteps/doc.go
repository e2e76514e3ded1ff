// Package byteps is a system like BytePS, a baseline of ATP and XAgg: its knobs and its layout over a
// job. The machines are the parameter servers of nodes/ps, with the partitions of BytePS: a server
// answers a partition of the tensor when all workers have pushed the whole of it, while later ones
// are pushed. Workers pull each partition as soon as its sums are ready. Servers add, and workers
// apply the update.
//
// Differences from BytePS (its documentation, docs/architecture.md, docs/env.md and
// docs/best-practice.md):
//
//   - A push also asks for the sums. BytePS pulls by a request of its own, one round trip after the
//     push, so that this one is faster by less than a round trip in a partition.
//   - Each server has a contiguous part of the tensor and partitions of it. BytePS gives partitions
//     to servers by a hash, which can be less even.
//   - Values are int32 as in all systems here, as long as the floats of BytePS.
//
// Left out: the overlap of communication with the backward and forward pass, and with it the priority
// of the front layers, since the training loop reduces a whole gradient after its compute; several GPUs
// in a worker; server processes beside one another on a host; compression and asynchronous training.
package byteps
