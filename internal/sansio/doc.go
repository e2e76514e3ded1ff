// Package sansio is the contract between protocol logic and the world.
//
// A [Machine] is a protocol core: a host protocol, a switch program, forwarding,
// the link model, the training loop, the straggler injector. It has no socket, no
// clock and no goroutine. So the same code runs live (real packets, wall clock)
// and virtual (event queue, picoseconds).
//
// # Duties of a driver
//
// The driver of a machine
//
//  1. calls it from one goroutine at a time, with a now that never goes back;
//  2. calls Handle with the trains that arrived, in order of arrival;
//  3. calls Expire when now has reached NextDeadline, and asks for NextDeadline
//     again after every call;
//  4. carries out the effects in order: first every Send, then the start of every
//     Compute, then the Samples. It does all of this before the next call, because
//     effects may borrow memory of the machine and of the arrivals;
//  5. keeps the memory of arrivals unchanged until the effects of that call have
//     been carried out;
//  6. runs a Compute's function once, at any time from Start on, on any goroutine.
//     The function is finished before a call with a now at or past Until. The
//     Computes of one machine run one after another, in order. Before Until, the
//     function touches nothing that the machine touches. A Compute whose Until is
//     its Start asks the driver to wait for it.
//
// # Trains
//
// A [Train] is n frames of one flow in order. A machine behaves the same whether
// frames come alone or in trains.
//
//	| header | seg 0 | seg 1 | ... | seg n-1 (may be shorter) |
package sansio
