package trio

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/dataplane"
)

// entries returns the rows of what a name of a table stands for, values divided by spaces.
func (b *bench) entries(name string) (out []string) {
	b.t.Helper()
	table, err := b.p.Look(b.now, dataplane.ViewRecords, name, 100)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, row := range table.Rows {
		var words []string
		for _, v := range row {
			words = append(words, v.String())
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// Packets go by the routes and the terms that were written by name, from then on.
func TestTablesByTheirNames(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newRouter(t, timing)
		leaves := func(to uint16) int { return len(b.handle(packetTo("10.0.1.9", 1000, to)).idle().take()) }
		if leaves(80) != 1 || leaves(53) != 0 {
			t.Fatal("the router does not route")
		}
		for _, c := range []struct {
			name, value, was, is string
			leaves               bool // of a packet to UDP port 80
		}{
			{"REFUSED[web]", "dport=80 proto=17 value=5", "none", "ip->proto=17 l4->dport=80 value=5", false},
			{"REFUSED[2].dport", "81", "80", "81", true},
			{"REFUSED[web].l4->dport", "80/0xfff0", "81", "0x50/0xfff0", false},
			{"REFUSED[web].value", "6", "5", "6", false},
			{"REFUSED[web].ip->dst", "10.0.2.0/24", "*", "10.0.2.0/24", true},
			{"REFUSED[web].dst", "*", "10.0.2.0/24", "*", false},
			{"REFUSED[web]", "none", "ip->proto=17 l4->dport=0x50/0xfff0 value=6", "none", true},
			{"ROUTES[10.0.1.9]", "12", "none", "12", true},
			{"ROUTES[10.0.1.9/32]", "13", "12", "13", true},
			{"ROUTES[10.0.1.9]", "none", "13", "none", true},
			{"ROUTES[10.0.1.0/24]", "none", "4", "none", true},
			{"ROUTES[10.0.0.0/8]", "none", "8", "none", false},
		} {
			w := b.mustWrite(c.name, c.value)
			if w.Was != c.was || w.Is != c.is || w.Created != (c.was == "none") {
				t.Errorf("%s = %s: was %q, is %q, created %v; want %q, %q", c.name, c.value, w.Was, w.Is, w.Created, c.was, c.is)
			}
			if got := leaves(80) == 1; got != c.leaves {
				t.Errorf("%s = %s: a packet leaves: %v", c.name, c.value, got)
			}
		}
	})
}

// What is written is what is shown, and both are read again.
func TestTablesAreShown(t *testing.T) {
	b := newRouter(t, nil)
	want := []string{"REFUSED[0] chargen * * * * 19 0", "REFUSED[1] dns * * 17 * 53 0"}
	if diff := cmp.Diff(want, b.entries("REFUSED")); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	b.mustWrite("REFUSED[2]", "src=10.1.0.0/16 ip->dst=10.0.0.9 proto=6 dport=0x50/0xffff value=0x10")
	if diff := cmp.Diff([]string{"REFUSED[2]  10.1.0.0/16 10.0.0.9 6 * 80 16"}, b.entries("REFUSED[2]")); diff != "" {
		t.Errorf("term 2 (-want +got):\n%s", diff)
	}
	was := b.mustWrite("REFUSED[2]", "value=1").Was
	if again := b.mustWrite("REFUSED[2]", was).Is; again != was || !strings.HasPrefix(was, "ip->src=10.1.0.0/16 ip->dst=10.0.0.9 ") {
		t.Errorf("a term is %q, and read again %q", was, again)
	}
	if diff := cmp.Diff([]string{"ROUTES[10.0.0.0/8] 8", "ROUTES[10.0.1.0/24] 4"}, b.entries("ROUTES")); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ROUTES[10.0.1.0/24] 4"}, b.entries("ROUTES[10.0.1.0/24]")); diff != "" {
		t.Errorf("one route (-want +got):\n%s", diff)
	}
	b.wantRow(dataplane.ViewSymbols, "ROUTES", map[string]string{"kind": "route", "elements": "4096", "source": "router.mc:25:1"})
	b.wantRow(dataplane.ViewSymbols, "REFUSED", map[string]string{"kind": "filter", "elements": "128"})
	b.wantRow(dataplane.ViewRecords, "REFUSED[1]", map[string]string{"fields": "dns ip->proto=17 l4->dport=53 value=0"})
}

// What cannot be is refused by name and with the place of the table, and nothing changes.
func TestTableWritesAreRefused(t *testing.T) {
	b := newRouter(t, nil)
	terms, routes := b.entries("REFUSED"), b.entries("ROUTES")
	for _, c := range []struct {
		name, value string
		create      bool
		reason      dataplane.Reason
		what        string
	}{
		{"ROUTE[10.0.0.0/8]", "1", true, dataplane.RefusedName, `did you mean "ROUTES"?`},
		{"ROUTES", "1", true, dataplane.RefusedName, "name an entry, as ROUTES[10.1.0.0/16]"},
		{"ROUTES[]", "1", true, dataplane.RefusedName, "ROUTES[] names no entry of the route that is declared at router.mc:25:1"},
		{"ROUTES[ten]", "1", true, dataplane.RefusedName, "name it by its prefix"},
		{"ROUTES[fe80::1]", "1", true, dataplane.RefusedName, "name it by its prefix"},
		{"ROUTES[10.0.0.0/8].hop", "1", true, dataplane.RefusedName, "name it by its prefix"},
		{"ROUTES[10.0.0.1/8]", "1", true, dataplane.RefusedName, "write 10.0.0.0/8"},
		{"ROUTES[10.9.0.0/16]", "1", false, dataplane.RefusedRecord, "ROUTES[10.9.0.0/16]: there is no such route (route ROUTES is declared at router.mc:25:1)"},
		{"ROUTES[10.9.0.0/16]", "none", true, dataplane.RefusedRecord, "there is no such route"},
		{"ROUTES[10.0.0.0/8]", "65536", true, dataplane.RefusedValue, "allowed are 0 to 65535"},
		{"ROUTES[10.0.0.0/8]", "h1", true, dataplane.RefusedValue, "give the number of a next hop"},
		{"REFUSED", "value=1", true, dataplane.RefusedName, "name an entry, as REFUSED[0]"},
		{"REFUSED[3]", "value=1", true, dataplane.RefusedRecord, "there are 2 terms, and the next one is 2"},
		{"REFUSED[2]", "value=1", false, dataplane.RefusedRecord, "--create makes one"},
		{"REFUSED[web].dport", "80", true, dataplane.RefusedRecord, "there is no such term"},
		{"REFUSED[web]", "none", true, dataplane.RefusedRecord, "there is no such term"},
		{"REFUSED[w b]", "value=1", true, dataplane.RefusedName, "call it by a word"},
		{"REFUSED[dns].dprt", "80", false, dataplane.RefusedName, `filter REFUSED has no field "dprt": its fields are ip->src, ip->dst, ip->proto, l4->sport, l4->dport (router.mc:23:1); did you mean "dport"?`},
		{"REFUSED[dns].dport", "65536", false, dataplane.RefusedValue, "field l4->dport of filter REFUSED: 65536 does not fit 16 bits"},
		{"REFUSED[dns].dport", "web", false, dataplane.RefusedValue, "it must be a number"},
		{"REFUSED[dns].dport", "80/0x1ffff", false, dataplane.RefusedValue, "mask of 80: 0x1ffff does not fit 16 bits"},
		{"REFUSED[dns].dport", "3/1", false, dataplane.RefusedValue, "3/1 has bits that its mask has not: write 0x1/0x1"},
		{"REFUSED[dns].dst", "10.0.0.1/8", false, dataplane.RefusedValue, "write 10.0.0.0/8"},
		{"REFUSED[dns].dst", "10.0.0.0/33", false, dataplane.RefusedValue, "a prefix has 0 to 32 bits"},
		{"REFUSED[dns].value", "-1", false, dataplane.RefusedValue, "a number of up to 32 bits"},
		{"REFUSED[dns]", "dport", false, dataplane.RefusedValue, "a term is FIELD=MATCH"},
		{"REFUSED[dns]", "dport=1 l4->dport=2", false, dataplane.RefusedValue, "field l4->dport is given twice"},
	} {
		_, err := b.write(c.name, c.value, c.create)
		r := (*dataplane.Refusal)(nil)
		if !errors.As(err, &r) || r.Reason != c.reason || !strings.Contains(r.Error(), c.what) {
			t.Errorf("%s = %s: %v, want %s: %s", c.name, c.value, err, c.reason, c.what)
		}
	}
	if diff := cmp.Diff(append(terms, routes...), append(b.entries("REFUSED"), b.entries("ROUTES")...)); diff != "" {
		t.Errorf("after refusals (-want +got):\n%s", diff)
	}
}

// A filter that is full takes no further term, and a full table of routes no further prefix.
func TestTablesAreFull(t *testing.T) {
	const source = `
register u32 dst;
fields F { dst };
route WAYS[1];
filter NO[1] on F;
register route_reply_t way;
register filter_reply_t term;
packet entry start;
start: begin way = RouteLookup(WAYS, dst); end
begin term = Filter(NO); end
begin Forward(1); exit; end
`
	b := newBench(t, Config{Program: compile(t, "full", source)})
	b.mustWrite("WAYS[10.0.0.0/8]", "1")
	b.mustWrite("NO[a]", "dst=1")
	for name, value := range map[string]string{"WAYS[11.0.0.0/8]": "1", "NO[b]": "dst=2"} {
		_, err := b.write(name, value, true)
		if r := (*dataplane.Refusal)(nil); !errors.As(err, &r) || r.Reason != dataplane.RefusedNoRoom || !strings.Contains(err.Error(), "declare a larger") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
