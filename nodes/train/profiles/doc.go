// Package profiles states, as data, the networks that the papers train: the size of
// the gradient, its tensors, and how long a worker computes between two of them.
// Times of communication are results of a run; these are its inputs.
//
//	|<------------ one iteration ------------>|
//	| Compute            | aggregation of     |
//	| forward, backward, | Size bytes         |
//	| update             | (measured)         |
//
// The data is profiles.yaml: one [Profile] for each model, with one [Row] for each
// paper and link rate. The papers are
//
//   - Trio: "Using Trio: Juniper Networks' Programmable Chipset for Emerging
//     In-Network Applications" (SIGCOMM 2022), Table 1;
//   - SwitchML: "Scaling Distributed Machine Learning with In-Network Aggregation"
//     (NSDI 2021), Tables 1 and 3;
//   - ATP: "ATP: In-network Aggregation for Multi-tenant Learning" (NSDI 2021), §5.1,
//     which names seven models and prints two sizes;
//   - XAgg: "XAgg: Accelerating Heterogeneous Distributed Training Through XDP-Based
//     Gradient Aggregation", §VI-C, which names five models and their sizes.
//
// Sizes, batches, batch times and shares are inputs. So is [Row.Compute], which
// follows from them: an experiment must not report it as a result. [Row.Alpha] is a
// result to compare with. No paper prints what [Origin] or Assumption call assumed.
// Where a paper contradicts itself or others, a [Reading] has both numbers, and the id
// of the ambiguity that says why (reports/claims/ledger/ambiguities.yaml).
//
// [Profile.Trace] makes a layer trace, which is assumed, since no paper publishes one.
// [Trace.Replay] gives its iteration time and its overlap of communication with compute:
//
//	p.Trace(compute, row.Bytes()).Fuse(row.Fusion()).Replay(1, goodput.TimeToSend)
//
// Left out: accuracy (package train learns at a smaller size), the start of the next
// iteration before the last tensor is back, and parallel kernels on a GPU.
package profiles
