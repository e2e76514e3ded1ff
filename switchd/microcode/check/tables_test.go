package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// TestLookups compiles every kind of field and table.
func TestLookups(t *testing.T) {
	p, err := compile(t, names+`
fields FLOW { p->a, p->wide, rec.d, r1, w[47:16], m1, arr[2] };
route ROUTES[1000];
fields OTHER { small };
filter ACL[8] on OTHER;
start: begin r1 = FieldHash(FLOW, r2); end
begin w = RouteLookup(ROUTES, m1); end
begin w = Filter(ACL); exit; end`)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var widths []int
	for _, f := range p.Fields[0].Fields {
		widths = append(widths, f.Width())
	}
	if diff := cmp.Diff([]int{8, 48, 4, 32, 32, 32, 32}, widths); diff != "" {
		t.Errorf("widths of the fields (-want +got):\n%s", diff)
	}
	if got := p.Fields[0].Fields[1].Text; got != "p->wide" {
		t.Errorf("the second field is called %s", got)
	}
	want := []isa.Table{{Name: "ROUTES", Kind: isa.TableRoutes, Len: 1000}, {Name: "ACL", Kind: isa.TableFilter, Len: 8, Fields: 1}}
	for i := range want {
		want[i].Pos = p.Tables[i].Pos
	}
	if diff := cmp.Diff(want, p.Tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if args := p.Instructions[2].Issues[0].Args; args[0] != isa.Const(1) {
		t.Errorf("the filter is table %v, want 1", args[0])
	}
	if n, ok := p.Table(isa.TableFilter, "ACL"); n != 1 || !ok {
		t.Errorf("ACL is table %d %t", n, ok)
	}
	if _, ok := p.Table(isa.TableRoutes, "ACL"); ok {
		t.Error("a filter is found as a route table")
	}
	for _, text := range []string{"FLOW", "188 bits: p->a = lmem[", "ROUTES                       route, 1000 entries", "filter, 8 entries on OTHER"} {
		if !strings.Contains(p.Dump(), text) {
			t.Errorf("the dump lacks %q:\n%s", text, p.Dump())
		}
	}
}

// TestRefusedLookups has a source for every reason why a list, a table or its use is refused.
func TestRefusedLookups(t *testing.T) {
	const list = "fields F { r1 }; route R[4]; filter A[4] on F; "
	many := strings.Repeat("r1, ", 16)
	for _, c := range []struct{ decls, body, want string }{
		{"fields F { " + many + "r1 };", "",
			"x.mc:2:76: with r1, F has 17 fields of 544 bits (rule: a list has at most 16 fields and 512 bits; assumed: as many"},
		{"fields F { w, w, w, w, w, w, w, w, small };", "", "with small, F has 9 fields of 520 bits"},
		{"fields F { 3 };", "", "x.mc:2:12: 3 is no variable and no field of a packet (rule: a field of a list is"},
		{"fields F { r1 + 1 };", "", "r1 + 1 is no variable"},
		{"fields F { e };", "", "e is no variable"},
		{"fields F { nx };", "", "no variable, constant or label nx"},
		{"fields F { rec };", "", "rec is a h_t; name one of its parts"},
		{"fields F { arr[r1] };", "", "the address of arr[r1] is computed; keep it in a pointer register (rule: a field of a list"},
		{"fields F { (p + 4)->a };", "", ""},
		{list + "fields F { r2 };", "", "F is declared twice"},
		{"filter A[4] on F; fields F { r1 };", "", "x.mc:2:16: F is no list of fields; declare one before with fields NAME { FIELD, ... };"},
		{"filter A[4] on r1;", "", "r1 is no list of fields"},
		{"route R[0];", "", "the number of routes of R is 0; it must be 1 to 1048576"},
		{"route R[1048577];", "", "the number of routes of R is 1048577; it must be 1 to 1048576"},
		{list + "filter B[1025] on F;", "", "the number of terms of B is 1025; it must be 1 to 1024"},
		{strings.Repeat("fields F { r1 }; ", 2), "", "F is declared twice"},
		{list, "r1 = FieldHash(R, 0);",
			"argument fields of FieldHash is the name of a list of fields, and R is none; declare one with fields NAME { FIELD, ... };"},
		{list, "r1 = FieldHash(F);", "FieldHash takes 2 arguments (fields, seed), not 1"},
		{list, "w = RouteLookup(F, r1);", "argument table of RouteLookup is the name of a route table, and F is none; declare one with route NAME[ROUTES];"},
		{list, "w = Filter(r1);", "argument table of Filter is the name of a filter, and r1 is none"},
		{list, "w = Filter(A + 0);", "and A + 0 is none"},
		{list, "r1 = F;", "F is a list of fields, and stands as an argument of an XTXN only"},
		{list, "Drop(R);", "R is a route table, and stands as"},
		{list, "R = 1;", "R is a route table, and stands as"},
		{list, "goto A;", "A is no label"},
		{list, "async Filter(A);", "Filter cannot be asynchronous"},
	} {
		_, err := compile(t, strings.ReplaceAll(names, "\n", " ")+"\n"+c.decls+"start: begin "+c.body+" exit; end e: begin exit; end")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.60s %s:\n got %v\nwant %s", c.decls, c.body, err, c.want)
		}
	}
}

// TestManyLists wants no more lists and tables than there is room for.
func TestManyLists(t *testing.T) {
	var lists, tables strings.Builder
	for i := range isa.MaxLists + 1 {
		lists.WriteString("fields F" + string(rune('A'+i/26)) + string(rune('a'+i%26)) + " { HEAD };\n")
		tables.WriteString("route R" + string(rune('A'+i/26)) + string(rune('a'+i%26)) + "[1];\n")
	}
	for _, c := range []struct{ src, want string }{
		{lists.String(), "x.mc:66:1: FCm is one list too many (rule: a program has at most 64 lists of fields and 64 tables; assumed)"},
		{tables.String(), "RCm is one table too many"},
	} {
		_, err := compile(t, "register u32 HEAD; packet entry e; e: begin exit; end\n"+c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
