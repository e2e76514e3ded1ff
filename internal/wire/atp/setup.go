package atp

// A job that is set up anew (A.3) has another id from then on, so that what is left of its earlier
// set-up meets nothing of the new one, in switches or at servers. Two packets tell hosts of
// it. To switches they are of those that go past all aggregators.

// Joins reports whether a gradient packet has no values, but asks for [Flags.GoesOn]: its
// worker is there again.
func (f Flags) Joins() bool { return f&(IsAck|Overflow|Resend) == Overflow }

// GoOn are the flags of a parameter packet without parameters. It names the earliest number of its
// stream that is not aggregated: the job goes on from there, as it is set up under the id that
// the packet has.
const GoOn = IsAck | Overflow | Collision

// GoesOn reports whether a parameter packet is one of those.
func (f Flags) GoesOn() bool { return f&(GoOn|Resend) == GoOn }
