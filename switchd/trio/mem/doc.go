// Package mem is the shared memory of a Trio PFE: its data, its
// read-modify-write engines and its hash unit (trio §2.3, §5).
//
//	                  threads of all PPEs
//	                          | crossbar
//	   +---------+---------+--+--- ... ----+-----------+
//	   |         |         |               |           |
//	engine 0  engine 1  engine 2  ...  engine 11   hash unit
//	   |         |         |               |        (index)
//	 bank 0    bank 1    bank 2          bank 11       |
//	words 0,   words 1,  words 2,       words 11,    records
//	12, 24..   13, 25..  14, 26..       23, 35..    in memory
//
// # Addresses
//
// An [Addr] counts words of 8 bytes (trio §3.2: counters of 16 bytes are 2
// apart). One address space holds three ranges: on-chip SRAM from word 0, the
// records of the hash table from [RecordsBase], off-chip DRAM from [DRAMBase].
// The records are in the one memory or the other and take their room from its
// end; what is left is the program's ([Memory.Layout]). Numbers in memory are
// big-endian, as in packets. Memory is zero before its first write and takes
// room in the host only from then on, in pages of 8 KiB.
//
// # Data and time are apart
//
// The methods of [Memory] and [Table] change data at once and know no time but
// what the policer is told. [Engines] says when a request is served and knows
// no data. Whoever runs threads
//
//  1. changes the data, in the order in which requests reach the memory,
//  2. if that gave no [Fault], charges the same request to the engines, in the
//     same order: plain and logical operations, counters and policers with
//     [Engines.Access], 32-bit adds with [Engines.Add], hash operations with
//     [Engines.Hash] and what [Table.Cost] says of the operation just done,
//  3. lets the thread go on when the request has been taken, if it is
//     asynchronous, or done, if it waits.
//
// An engine serves in the order of arrival, so at each word the order of the
// data is the order of service. In instant mode steps 2 and 3 are left out.
//
// # Time
//
// Each bank has one engine that takes 1 clock for 8 bytes, or 2 clocks for one
// 32-bit add (trio §2.3, §6.3), and starts whenever it has work. A request is
// charged to every engine that it touches, each of which serves its words
// alone; it is done when the last of them is. Then follows the latency of the
// range, 70 ns or 300 to 400 ns, which includes the first clock of service. An
// engine holds a bounded queue; a request for a longer one is held in the
// crossbar, which is the back-pressure of trio §2.3, and counted.
//
// # The hash unit
//
// A module of its own (trio §3.1): chained buckets with 64-bit keys, a fixed
// number of records of 64 bytes, and a REF flag for each (trio §5). Records
// stand in shared memory and never move, so a record may be removed while others
// are scanned. A new one takes the first free slot, in a circle, from where its
// key is hashed to. So where it stands, and which thread scans it, depends on its
// key and on the records there are, and not on how many there have been. The
// hash puts the blocks of a job a golden section of the table apart, so that
// every part of a scan has its share. The index stands in the unit
// and is no part of the address space; its accesses, one a clock, are the cost
// of an operation, where k is how many entries of the chain were looked at, and
// f how many words with the flags of 64 slots until there was a free one:
//
//	HashLookup                1 + k, and 1 for the flag of a hit
//	HashInsert, record exists 2 + k
//	HashInsert, new record    4 + k + f, and a write of 64 bytes to the record
//	HashInsert, table full    1 + k
//	HashDelete                1 + k, and 2 if there was a record
//	HashScan                  1 for each 64 slots begun, and 1 for the flag
//
// # Left out
//
// The on-chip cache of the DRAM is not modelled: every access to DRAM has the
// same latency, whether it hits or not, and its bandwidth is that of the engines.
// Refresh, row conflicts and ECC are not either. The ranges share one set of
// engines, for the paper counts 12 in a PFE without saying which range has how
// many. The crossbar has no limit of its own (trio §2.3).
//
// Nothing here panics on what a program or a packet says; a bad address or
// length is a [Fault], which changes nothing and which the caller counts.
package mem
