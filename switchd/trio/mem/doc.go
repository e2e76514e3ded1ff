// Package mem is the shared memory of a Trio PFE: its data, its read-modify-write engines
// and its hash unit (trio §2.3, §5).
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
// An [Addr] counts words of 8 bytes (trio §3.2: counters of 16 bytes are 2 apart). One
// address space holds SRAM from word 0, hash records from [RecordsBase], and DRAM from
// [DRAMBase]. The records take their room from the end of SRAM or DRAM ([Memory.Layout]).
// Numbers are big-endian, as in packets. Memory is zero before its first write.
//
// Data and time are apart. [Memory] and [Table] change data at once; [Engines] says when a
// request is served. The owner of the threads
//
//  1. changes the data, in the order in which requests reach the memory;
//  2. charges the same request to the engines, in the same order, unless it gave a
//     [Fault]: 32-bit adds with [Engines.Add], hash operations with [Engines.Hash] and
//     [Table.Cost], all others with [Engines.Access];
//  3. resumes the thread when the request has been taken, if it is asynchronous, or is
//     done, if the thread waits.
//
// In instant mode only step 1 applies. A [Fault] changes nothing; the caller counts it.
//
// An engine takes 1 clock for 8 bytes, or 2 clocks for one 32-bit add (trio §2.3, §6.3). A
// request is charged to every engine that it touches, and is done when the last has served
// it. Then follows the latency of SRAM or DRAM, which includes the first clock. An engine has
// a bounded queue; requests beyond wait in the crossbar (back-pressure, trio §2.3).
//
// The hash unit (trio §3.1) has chained buckets with 64-bit keys, and records of 64 bytes
// with a REF flag each (trio §5). Records never move. A new record takes the first free slot
// from its key's hash on, in a circle, so its place depends on keys alone. The blocks of a
// job lie a golden section of the table apart, so that all parts of a scan have their share.
//
// Left out: the cache of the DRAM, so that every access has the same latency; refresh, row
// conflicts and ECC; separate engines for SRAM and DRAM, as the paper counts 12 without
// saying which have which; a limit of the crossbar.
package mem
