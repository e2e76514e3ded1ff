// Package reference is the reference switch program of Trio-ML: the oracle for an
// emulated PFE that runs Microcode. It is small, and has no notion of instructions, memory
// banks or processing time. One [Program] is one PFE. For each packet (Fig 10):
//
//	look up (job, block) --none--> create block record (if the job exists)
//	      |                              |
//	      +---- add gradients, note the source, set REF ----+
//	                                                        |
//	                         all sources in? --> build result, remove record
//
// Every T/N a timer thread visits 1/N of the records. It sends a record with a clear REF
// flag as it is (degraded), and clears the flag of the others. So a record is sent T to 2T
// after its last packet. Where jobs have different timeouts T divides them all, and a record
// with a clear flag is sent once it was found so for its job's timeout: between that and T
// more after its last packet. [NewAdvanced] adds the mitigation that §5 sketches
// (docs/trio-ml.md).
//
// Decided here, as the paper leaves it open:
//
//   - Late packets (Config.Late): by default a job remembers its newest generation and the
//     done blocks of that. Packets for these, or of older generations, are dropped.
//   - Hierarchy: src_cnt is summed and degraded is or-ed. So the top level counts workers,
//     though its sources are PFEs (§4).
//   - Additions wrap.
//   - A packet of a newer generation replaces the record of an older one, counted as
//     superseded. This happens with late packets only.
//
// Left out: loss recovery, which the paper leaves to future work (§7), and IGMP (groups
// are static).
package reference
