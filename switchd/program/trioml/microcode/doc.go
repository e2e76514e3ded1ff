// Package microcode is Trio-ML as Microcode on an emulated PFE. [Engine] compiles and
// loads the program and is its control plane. With one configuration it does the same as
// the reference program, packet for packet.
//
//	trioml.Config --New--> Engine
//	                         | writes          | reads
//	                         v                 v
//	    job records (Fig 17), egress,     block records (Fig 18),
//	    waits                             counters of the program
//
// Before the first packet of a job the control plane writes
//
//  1. a next hop with the ports of the job, and an egress entry with its headers, to
//     which out_nh_addr points;
//  2. the sources that blocks wait for: all;
//  3. the job record, into the hash table under block_id 0xffffffff (ambiguity
//     trio.job-lookup).
//
// With [NewAdvanced], the absent bit of a job record is set while a source is out of service,
// even if blocks wait for all sources otherwise.
//
// The records have limits that the reference has not:
//
//   - Packets with IP options go to next hop 0, which simple forwarding may have, and
//     are dropped where it does not exist.
//   - block_id 0xffffffff is reserved: its packets are dropped.
//   - Tombstones reach up to block_id 2^20; a done block beyond is forgotten. Each holds
//     its generation, so a block that was last done 2^16 generations ago looks late.
//   - Source masks, counts and caps have the widths of Fig 17 and 18. block_cnt_max alone
//     is written less 1, with 4 unused bits more (ambiguity trio.block_cnt_max-width).
//   - Where jobs of a PFE have different timeouts, threads count the visits that find a
//     block unreferenced, in the block_exp of its record.
//   - A timer thread visits records in the order of the hash table, not of age.
package microcode
