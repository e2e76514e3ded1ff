// Package reference is the reference switch program of Trio-ML. It is small and meant
// to be obviously right; it is the oracle that an emulated PFE running Microcode is held
// against, and it has no notion of instructions, memory banks or time spent.
//
// One [Program] is one PFE. Per packet (Fig 10):
//
//	look up (job, block) --none--> create block record (if the job exists)
//	      |                              |
//	      +---- add gradients, note the source, set REF ----+
//	                                                        |
//	                         all sources in? --> build result, remove record
//
// Every T/N a timer thread visits 1/N of the records. A record whose REF flag is clear
// has seen no packet for at least T and is sent as it is (degraded); the others have
// their flag cleared. So a record ages T to 2T after its last packet.
//
// [NewAdvanced] adds the mitigation that §5 sketches: timer threads of a second, slower
// type tell temporary from permanent stragglers, send notices to the workers, and do not
// wait for sources that are out of service. A PFE above others relays their notices by
// the way of its results, with its own newest generation.
//
// The paper leaves some points open. They are decided here, with a knob where it
// matters:
//
//   - Late packets (Config.Late): by default a job remembers its newest generation and
//     which of its blocks are done. A packet for one of these, or of an older
//     generation, is dropped and counted.
//   - Hierarchy: src_cnt is summed and degraded is or-ed. So the top level counts
//     workers though its sources are PFEs (§4).
//   - Additions wrap (the paper does not say; hosts keep sums within range).
//   - A packet of a newer generation that meets the record of an older one replaces it,
//     counted as superseded. That happens with late packets only.
//
// Left out: loss recovery, which the paper leaves to future work (§7), and IGMP (groups
// are static).
package reference
