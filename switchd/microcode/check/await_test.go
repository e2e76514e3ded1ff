package check

import (
	"strings"
	"testing"
)

// A way through the program on which local memory is used that an asynchronous read fills is
// refused, wherever it leads; what waits on every way is taken.
func TestReadsAreWaitedFor(t *testing.T) {
	const head = `
sram data[16];
lmem u32 a[16]; lmem u32 b[16];
register u32 x; register u32 y; register u8 *p;
packet entry start;
start: begin async MemRead(data, a, 64); end
`
	const wait, end = "begin XtxnWait(); end\n", "begin Drop(0); exit; end\n"
	const sub = "sub: begin x = 1; return; end\nwaits: begin XtxnWait(); return; end\nreads: begin async MemRead(data, b, 8); return; end\n"
	for _, c := range []struct{ name, body, want string }{
		{"reads it", "begin x = a[3]; end\n", "7:1: the instruction uses bytes"},
		{"waits", wait + "begin x = a[3]; end\n", ""},
		{"waits in the instruction that reads", "begin x = a[3]; XtxnWait(); end\n", "7:1: "},
		{"writes it", "begin a[15] = x; end\n", "MemRead at line 6 is filling"},
		{"in a condition", "begin if (x == 0 && a[0] == 1) exit; end\n", "7:1: "},
		{"reply", "begin a[0] = FetchOr(data, 0); end\n", "7:1: "},
		{"sends it", "begin async MemWrite(data, &a[8], 8); end\n", "7:1: "},
		{"reads into it again", "begin MemRead(data, &a[14], 8); end\n", "7:1: "},
		{"uses what is behind", "begin b[0] = x; end\nbegin MemWrite(data, b, 8); end\n", ""},
		{"by a pointer, which only the thread knows", "begin x = *p; end\n", ""},
		{"on one of two ways", "begin if (x == 0) goto over; end\n" + wait + "over: begin y = a[1]; end\n", "9:7: "},
		{"on neither", "begin if (x == 0) goto other; end\n" + wait + "begin goto over; end\nother: " + wait + "over: begin y = a[1]; end\n", ""},
		{"waits at times", "begin if (x == 0) XtxnWait(); end\nbegin y = a[1]; end\n", "8:1: "},
		{"behind a subroutine", "begin call sub; end\nbegin y = a[1]; end\n", "8:1: "},
		{"behind one that waits", "begin call waits; end\nbegin y = a[1]; end\n", ""},
		{"where another call has waited", wait + "begin call sub; end\nbegin y = a[1]; end\n", ""},
		{"of a subroutine's own", "begin call reads; end\nbegin y = b[1]; end\n", "8:1: "},
		{"not of a subroutine's own", wait + "begin call reads; end\nbegin y = a[1]; end\n", ""},
		{"a second wait", wait + wait, "XtxnWait waits for nothing"},
		{"a wait for a write", wait + "begin async MemWrite(data, a, 8); end\n" + wait, ""},
	} {
		_, err := compile(t, head+c.body+end+sub)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
