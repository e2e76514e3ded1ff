package chip

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	compiler "github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
)

// policy is what our program does and the paper does not ask for, with what makes it go away in
// the text of the program. Each stands on those before it.
type policy struct {
	name  string
	edits [][2]string
}

// policies are what the count of instructions is told apart by.
var policies = []policy{
	{"absent sources, which blocks do not wait for", [][2]string{
		{"    if (state.s.absent) goto hear;\n", ""},
		{"    if (state.s.absent) call covers; // while the record is pinned\n", ""},
		{"    if (f.absent) call covers;\n", ""},
		{"    if (ADVANCED) call note_missing;\n    else if (f.absent) call give_up;\n", ""},
		{"timer age_absent entry scan_absent;\n", ""},
	}},
	{"a timeout of each job", [][2]string{
		{"timer age_each entry scan_each;   // they have different ones\n", ""},
		{"    if (scan.ref && !f.each) goto scan_more;\n", "    if (scan.ref) goto scan_more;\n"},
		{"begin\n    f.left = blk.block_exp - jobrec.state.step;\nend\n", ""},
		{"    bus bool young = scan.ref || f.left - 1 < 255; // neither 0 nor below it\n    mark = young ? DEGRADED : AGED;\n    if (!young) goto unpin_block;\n", "    mark = AGED;\n"},
		{"begin\n    bus u32 left = scan.ref ? jobrec.block_exp : f.left;\n    MaskedWrite(scan.paddr, pair(0, left << 8), pair(0, 0xff00));\nend\n", ""},
	}},
	{"policies of late packets: tombstones, the newest generation", [][2]string{
		{"    state.ahead = in.h.gen_id - (job_state >> 16);\n", ""},
		{" || state.s.armed == ARMED && (state.ahead & NEWER)) goto drop;\nend\nbegin // of two generations that are new at once the older may stay: the next packet of the newer puts that right\n    reason = DROP_RESERVED_BLOCK_ID;\n    if (state.s.fresh || (state.s.newest - in.h.gen_id & NEWER)) async MaskedWrite(job.paddr, in, ADVANCE);\n", ") goto drop;\n"},
		{"    at = tombstones + (key.job << TOMB_SHIFT) + (key.block >> 1);\n    if (key.block == JOB) goto drop;\n", "    reason = DROP_RESERVED_BLOCK_ID;\n    if (key.block == JOB) goto drop;\n"},
		{"    if (state.s.tombs && key.block < BURIED) c.cnt = FetchAdd32(at, key.block[0:0], 0);\n    else c.cnt = 0;\n    blk.gen_id = in.h.gen_id;\nend\nbegin // also where a newer generation is done: this thread may have read the job record before that one came\n    reason = DROP_LATE_BLOCK_DONE;\n    if ((c.cnt & TOMB) && !(c.cnt - in.h.gen_id & TOMB_REACH)) goto refuse;\n", "    blk.gen_id = in.h.gen_id;\n"},
		{"    at = tombstones + (key.job << TOMB_SHIFT) + (key.block >> 1);\n", ""},
		{"    c.cnt = in.h.gen_id | TOMB;\nend\nbegin\n    bus u32 first = (key.block & 1) - 1; // all ones for an even block\n    if (key.block < BURIED) async MaskedWrite(at, pair(c.cnt, c.cnt), pair(first, ~first));\n    else async CounterIncPhys(blocks_beyond_tombstones, 0);\n", ""},
	}},
	{"waits for threads in flight that end", [][2]string{
		{"    if (mine && c.inflight != 0) goto drain;\n", ""},
	}},
}

// withoutPolicies counts the instructions that threads can come to in our program, and in what is
// left of it as one policy after another goes away.
func withoutPolicies(m isa.Machine) (counts []int, err error) {
	text := microcode.TrioML().Text
	for i := range len(policies) + 1 {
		if i > 0 {
			for _, edit := range policies[i-1].edits {
				if !strings.Contains(text, edit[0]) {
					return nil, fmt.Errorf("the program has no %q any more, which goes away without %s", edit[0], policies[i-1].name)
				}
				text = strings.Replace(text, edit[0], edit[1], 1)
			}
		}
		p, err := compiler.CompileFor(m, "trioml.mc", text)
		if err != nil {
			return nil, fmt.Errorf("compiling the program without %s: %w", policies[max(0, i-1)].name, err)
		}
		all := reached(p, isa.EntryPacket)
		for at := range reached(p, isa.EntryTimer) {
			all[at] = true
		}
		counts = append(counts, len(all))
	}
	return counts, nil
}

// policyTable shows the counts.
func policyTable(counts []int) claims.Table {
	t := claims.Table{
		ID: "trio.program.policies", Title: "Instructions of Trio-ML, and of what is left as what the paper does not ask for goes away",
		Columns: []claims.Column{{Name: "without, one after another"}, {Name: "instructions"}, {Name: "fewer"}},
		Notes:   []string{"Of those that threads can come to. A policy that shares an instruction with what stays leaves it."},
	}
	t.Add(render.Text("nothing"), render.Int(counts[0]), render.NA())
	for i, p := range policies {
		t.Add(render.Text(p.name), render.Int(counts[i+1]), render.Int(counts[i]-counts[i+1]))
	}
	return t
}
