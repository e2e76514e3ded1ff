// Package trioml is the reference switch program of Trio-ML: in-network
// aggregation with straggler mitigation by timer threads (Trio, SIGCOMM 2022,
// §4 and §5). It is small and meant to be obviously right; it is the oracle
// that an emulated PFE running Microcode is held against, and it has no notion
// of instructions, memory banks or time spent.
//
// One [Program] is one PFE. Per packet (Fig 10):
//
//	look up (job, block) --none--> create block record (if the job exists)
//	      |                              |
//	      +---- add gradients, note the source, set REF ----+
//	                                                        |
//	                         all sources in? --> build result, remove record
//
// and every T/N a timer thread visits 1/N of the records: a record whose REF
// flag is clear has seen no packet for at least T and is sent as it is
// (degraded); the others have their flag cleared. A record so ages T to 2T
// after its last packet.
//
// [NewAdvanced] adds the mitigation that §5 sketches: timer threads of a second, slower
// type that tell temporary from permanent stragglers, notices to the workers, and no
// waiting for who is out of service. A PFE above others relays their notices by the
// way of its results, with its own newest generation.
//
// What the paper leaves open is decided here, with a knob where it matters:
//
//   - Late packets ([Config].Late): by default a job remembers its newest
//     generation and which of its blocks are done, and a packet for one of
//     these, or of an older generation, is dropped and counted.
//   - Hierarchy: src_cnt is summed and degraded is or-ed, so that the top level
//     counts workers though its sources are PFEs (§4).
//   - Additions wrap (the paper does not say; hosts keep sums within range).
//   - A packet of a newer generation that meets the record of an older one
//     replaces it, counted as superseded; that happens with late packets only.
//
// Left out: loss recovery, which the paper leaves to future work (§7), and IGMP
// (groups are static).
package trioml
