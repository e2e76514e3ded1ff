// Package microcode is Trio-ML as Microcode on an emulated PFE: it holds and compiles the
// program, loads a PFE with it and is its control plane. [Engine] takes the same
// configuration as the reference program and does the same, packet for packet; the tests
// hold both against each other.
//
//	trioml.Config --New--> Engine
//	                         | writes          | reads
//	                         v                 v
//	    job records (Fig 17), egress,     block records (Fig 18),
//	    waits                             counters of the program
//
// What the control plane writes before the first packet of a job:
//
//  1. a next hop with the ports of the job, and an egress entry with its headers,
//     to which out_nh_addr points;
//  2. the sources that blocks wait for: all;
//  3. the job record, into the hash table with block_id 0xffffffff as its key
//     (ambiguity trio.job-lookup).
//
// [NewAdvanced] loads the program that also classifies stragglers, notifies the
// workers, and relays the notices of PFEs below. Its control plane also writes the rules
// of the classification. Where blocks wait for everybody otherwise, the absent bit of a
// job record is the program's own: set while a source is out of service.
//
// Differences from the reference, all of them limits of the records:
//
//   - Packets with IP options are not looked into: they go to next hop 0, which
//     simple forwarding may have, and are dropped where it does not exist.
//   - block_id 0xffffffff is reserved: its packets are dropped.
//   - Tombstones reach up to block_id 2^20; beyond that a done block is forgotten.
//     They are not cleared with a new generation: each holds the generation that it
//     is about, so a block that was last done 2^16 generations ago looks late.
//   - Source masks, counts and caps have the widths of Fig 17 and 18, with one
//     exception: block_cnt_max is written less 1, with 4 more bits from the unused ones
//     (ambiguity trio.block_cnt_max-width).
//   - A timer thread visits records in the order of the hash table, not of age.
//
// filter.mc, the paper's example of §3.2, stands here as one of the sources.
package microcode
