// Package mem is the shared memory of a Trio PFE: its data, its read-modify-write engines
// and its hash unit (trio §2.3, §5).
//
//	          threads of all PPEs
//	                  | crossbar
//	   +---------+----+-- ... ---+-----------+
//	engine 0  engine 1  ...  engine 11   hash unit
//	bank 0    bank 1         bank 11     records in memory
//	words 0,  words 1,       words 11,
//	12, 24..  13, 25..       23, 35..
//
// An [Addr] counts words of 8 bytes (trio §3.2: counters of 16 bytes are 2 apart). One
// address space holds SRAM from word 0, hash records from [RecordsBase], and DRAM from
// [DRAMBase]. The records take their room from the end of SRAM or DRAM ([Memory.Layout]).
// Numbers are big-endian, as in packets. Memory is zero before its first write.
//
// Data and time are apart. The owner of the threads
//
//  1. changes the data ([Memory], [Table]), in the order in which requests reach the memory;
//  2. charges the same request to the [Engines], in the same order, unless it gave a
//     [Fault]: 32-bit adds with [Engines.Add], hash operations with [Engines.Hash] and
//     [Table.Cost], all others with [Engines.Access];
//  3. resumes the thread when the request has been taken, if it is asynchronous, or is
//     done, if the thread waits.
//
// In instant mode only step 1 applies. A [Fault] changes nothing; the caller counts it.
//
// A request is charged to every engine that it touches, and is done when the last has served
// it. Then follows the latency of SRAM or DRAM, which includes the first clock. An engine has
// a bounded queue; requests beyond wait in the crossbar (back-pressure, trio §2.3).
//
// Left out: the cache of the DRAM, so that every access has the same latency; refresh, row
// conflicts and ECC; separate engines for SRAM and DRAM, as the paper counts 12 without
// saying which have which; a limit of the crossbar.
package mem
