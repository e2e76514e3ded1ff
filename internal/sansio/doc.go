// Package sansio is the contract between protocol logic and the world.
//
// Everything with a rule is a [Machine]: host protocols, switch programs,
// forwarding, the link model, the training loop, the straggler injector. A
// machine has no socket, no clock and no goroutine, so the same object code
// runs live (real packets, wall clock) and virtual (event queue, picoseconds).
//
// # Duties of a driver
//
// Whoever drives a machine
//
//  1. calls it from one goroutine at a time, with a now that never goes back;
//  2. calls Handle with the trains that arrived, in order of arrival;
//  3. calls Expire when now has reached NextDeadline, and asks for NextDeadline
//     again after every call;
//  4. carries out the effects in the order they stand in: first every Send, in
//     order, then starts every Compute, then stores the Samples; all of it
//     before the next call into the machine, since effects may borrow memory
//     of the machine and of the arrivals;
//  5. keeps the memory of arrivals unchanged until the effects of that call
//     have been carried out;
//  6. runs a Compute's function once, at any time from Start on, on any
//     goroutine, but has it finished before it calls the machine with a now at
//     or past Until; the Computes of one machine run one after another, in
//     order. The function touches nothing that the machine touches before
//     Until. A Compute whose Until is its Start asks to be waited for.
//
// # Trains
//
// A [Train] is n frames of one flow in order: one header, a segment size, one
// body. It is what the kernel's segmentation offload moves, and it means
// exactly the n frames that [Train.Frame] derives. A machine must behave the
// same whether frames come alone or in trains; a property test splits and
// joins them and demands equal effects.
//
//	| header | seg 0 | seg 1 | ... | seg n-1 (may be shorter) |
package sansio
