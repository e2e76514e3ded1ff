package check

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// preludeText declares what every program knows of the machine. A program may
// declare any of these names itself; its own then count.
const preludeText = `
virtual HEAD_START = %d;
virtual HEAD_ROOM = %d;
virtual HEAD_BYTES = %d;
virtual LMEM_BYTES = %d;
virtual WORK_REGISTER = %d;
virtual HASH_RECORDS = %d;
virtual DRAM_START = %d;
virtual ADD_BYTES = %d;
struct packet_work_t { pkt_len : 16; head_len : 16; port : 32; };
struct timer_work_t { part : 16; parts : 16; run : 32; };
struct event_work_t { run : 32; value : 32; };
struct statistics_work_t { element : 32; times : 32; };
struct hash_reply_t { hit : 1; full : 1; : 30; paddr : 32; };
struct scan_reply_t { found : 1; ref : 1; last : 1; cursor : 29; paddr : 32; };
struct route_reply_t { found : 1; : 25; bits : 6; nexthop : 32; };
struct filter_reply_t { matched : 1; term : 31; value : 32; };
`

// prelude declares preludeText.
func (c *checker) prelude() {
	f, err := syntax.Parse("prelude", fmt.Sprintf(preludeText,
		isa.HeadStart, isa.HeadRoom, isa.HeadBytes, isa.LMEMBytes, isa.WorkRegister, isa.HashRecords, isa.DRAMStart, c.prog.AddBytes))
	if err != nil {
		panic(err) // the text is a constant, and numbers
	}
	c.library = true
	c.declareTypes(f)
	c.declareNames(f)
	c.library = false
	c.prog.Symbols, c.prog.Types, c.ids = nil, nil, map[typeKey]isa.TypeID{}
}
