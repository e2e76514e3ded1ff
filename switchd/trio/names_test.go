package trio

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Named = (*PFE)(nil)

// named counts by source address, and drops those that its table blocks.
const named = `
struct addr_t { addr : 32; };
struct source_t { bool blocked; : 63; packets : 64; bytes : 64; };
struct limit_t { low : 20; high : 48; : 60; };
counter total;
counter by_kind[4];
policer rates[2];
sram limit_t limits[3];
dram table[100000];
hash addr_t source_t sources;
export virtual DROP_BLOCKED = 1;
register hash_reply_t found;
register u32 word = 7;
lmem source_t rec;
packet entry start;
start: begin found = HashInsert(pair(0, pkt->ip.src)); end
begin
    if (found.full || found.hit) goto count;
    MemRead(found.paddr, &rec, 24);
end
begin if (rec.blocked) { Drop(DROP_BLOCKED); exit; } end
count: begin async CounterIncPhys(found.paddr + 1, r_work.pkt_len); end
begin Forward(1); exit; end
`

func namedBench(t rapid.TB) *bench {
	return newBench(t, Config{Node: "pfe", Program: compile(t, "named", named)})
}

func (b *bench) write(name, value string, create bool) (dataplane.Written, error) {
	b.t.Helper()
	return b.p.SetValue(b.now, dataplane.Write{Name: name, Value: value, Create: create})
}

func (b *bench) mustWrite(name, value string) dataplane.Written {
	b.t.Helper()
	w, err := b.write(name, value, true)
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

// What is written by name is what packets read, and what they count is read by name.
func TestProgramByItsNames(t *testing.T) {
	b := namedBench(t)
	b.handle(train(1, payload(0, 0, 0, 0)), train(1, payload(0, 0, 0, 0)), train(2, payload(0, 0, 0, 0)))
	table, err := b.p.Look(b.now, dataplane.ViewRecords, "sources", 10)
	if err != nil || len(table.Rows) != 2 {
		t.Fatalf("%d sources, %v: %+v", len(table.Rows), err, table)
	}
	if first := table.Rows[0][0].String(); first != "sources[10.0.1.1]" && first != "sources[10.0.1.2]" {
		t.Errorf("a source is called %s", first)
	}
	sent := len(b.out)
	for _, row := range table.Rows {
		if _, err := b.write(row[0].String()+".blocked", "true", false); err != nil {
			t.Fatal(err)
		}
	}
	b.handle(train(1, payload(0, 0, 0, 0)), train(2, payload(0, 0, 0, 0)))
	if len(b.out) != sent {
		t.Errorf("%d packets of blocked sources are forwarded", len(b.out)-sent)
	}
	packets := 0
	for _, row := range table.Rows {
		one, err := b.p.Look(b.now, dataplane.ViewRecords, row[0].String(), 10)
		if err != nil || len(one.Rows) != 1 || one.Rows[0][3].String() != "true" {
			t.Fatalf("%+v, %v", one, err)
		}
		packets += int(one.Rows[0][4].String()[0] - '0')
	}
	if packets != 3 {
		t.Errorf("%d packets are counted, want 3", packets)
	}
}

// Refusals name what is wrong, and leave everything as it was.
func TestWritesAreRefused(t *testing.T) {
	b := namedBench(t)
	for _, c := range []struct {
		name, value string
		reason      dataplane.Reason
		what        string
	}{
		{"totl", "1", dataplane.RefusedName, `did you mean "total"?`},
		{"limits[3].low", "1", dataplane.RefusedName, "3 elements"},
		{"limits[0].low", "1048576", dataplane.RefusedValue, "does not fit 20 bits"},
		{"limits[0]", "1", dataplane.RefusedValue, "low, high"},
		{"limits", "1", dataplane.RefusedFixed, "many elements"},
		{"word", "1", dataplane.RefusedFixed, "each thread has one of its own"},
		{"rec.packets", "1", dataplane.RefusedFixed, "each thread has one of its own"},
		{"DROP_BLOCKED", "1", dataplane.RefusedFixed, "constant"},
		{"sources[10.9.9.9].blocked", "1", dataplane.RefusedRecord, "there is no record"},
		{"sources[10.9.9.9].blocked", "2", dataplane.RefusedValue, "does not fit 1 bit"},
	} {
		_, err := b.write(c.name, c.value, false)
		r := (*dataplane.Refusal)(nil)
		if !errors.As(err, &r) || r.Reason != c.reason || !strings.Contains(r.Error(), c.what) {
			t.Errorf("%s = %s: %v, want %s: %s", c.name, c.value, err, c.reason, c.what)
		}
	}
	for i := range 256 {
		b.mustWrite(fmt.Sprintf("sources[%d].packets", i), "1")
	}
	_, err := b.write("sources[10.9.9.9].blocked", "1", true)
	if r := (*dataplane.Refusal)(nil); !errors.As(err, &r) || r.Reason != dataplane.RefusedNoRoom {
		t.Errorf("a record beyond the table: %v", err)
	}
	if n := b.p.Memory().Hash().Len(); n != 256 {
		t.Errorf("%d records", n)
	}
}

// A number of any width at any bit is written alone: what stands around it stays.
func TestWritesTouchTheirBitsAlone(t *testing.T) {
	m, err := mem.New(small())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		bit := rapid.Uint64Range(0, 63).Draw(rt, "bit")
		width := rapid.Uint64Range(1, 64).Draw(rt, "width")
		before := [2]uint64{rapid.Uint64().Draw(rt, "a"), rapid.Uint64().Draw(rt, "b")}
		n := rapid.Uint64().Draw(rt, "n") >> (64 - width)
		m.Store(1023, before[0]) // the last word of a page
		m.Store(1024, before[1])
		if f := storeBits(m, 1023, bit, width, n); f != mem.NoFault {
			rt.Fatal(f)
		}
		if got, ok := loadBits(m, 1023, bit, width); !ok || got != n {
			rt.Fatalf("%#x comes back as %#x", n, got)
		}
		for i := range uint64(128) {
			w, _ := m.Load(mem.Addr(1023 + i/64))
			was, is := before[i/64]>>(63-i%64)&1, w>>(63-i%64)&1
			if (i < bit || i >= bit+width) && was != is {
				rt.Fatalf("bit %d changed, behind %d bits from %d on", i, width, bit)
			}
		}
	})
}

// Views have every name, and of large arrays what is not zero.
func TestViewsOfNames(t *testing.T) {
	b := namedBench(t)
	b.mustWrite("limits[1].high", "02:00:00:00:00:09")
	b.mustWrite("rates[1].rate", "1000")
	b.mustWrite("table[99999]", "5")
	b.mustWrite("sources[10.1.0.2].packets", "12")
	b.p.memory.CounterInc(mem.Addr(mustSymbol(t, b.p, "by_kind").Value+2*3), 100)
	for name, want := range map[string]map[string]string{
		"word":         {"kind": "register", "type": "u32", "value": "7"},
		"table":        {"kind": "dram", "elements": "100000", "address": "0x1000000", "value": ""},
		"sources":      {"kind": "hash", "type": "source_t", "address": "0x800000"},
		"DROP_BLOCKED": {"kind": "const", "value": "1"},
		"total":        {"kind": "counter", "address": "0x2"},
	} {
		b.wantRow(dataplane.ViewSymbols, name, want)
	}
	b.wantRow(dataplane.ViewCounters, "total", map[string]string{"packets": "0"})
	b.wantRow(dataplane.ViewCounters, "by_kind[3]", map[string]string{"packets": "1", "bytes": "100"})
	if b.row(dataplane.ViewCounters, "by_kind[2]") != nil {
		t.Error("a counter of an array that has counted nothing is shown")
	}
	b.wantRow(dataplane.ViewRecords, "limits[1]", map[string]string{"fields": "high=02:00:00:00:00:09"})
	b.wantRow(dataplane.ViewRecords, "rates[1]", map[string]string{"fields": "rate=1000"})
	b.wantRow(dataplane.ViewRecords, "sources[10.1.0.2]", map[string]string{"fields": "packets=12", "ref": "true"})
	if b.row(dataplane.ViewRecords, "table[99999]") != nil {
		t.Error("a long array of words is shown unasked")
	}
	table, err := b.p.Look(b.now, dataplane.ViewRecords, "table", 10)
	if err != nil || len(table.Rows) != 1 || table.Rows[0][0].String() != "table[99999]" || table.Rows[0][3].String() != "5" {
		t.Errorf("table: %+v, %v", table.Rows, err)
	}
	for view, name := range map[dataplane.View]string{dataplane.ViewCounters: "limits", dataplane.ViewRecords: "word", dataplane.ViewSymbols: "nothing"} {
		if _, err := b.p.Look(b.now, view, name, 10); err == nil {
			t.Errorf("%s is among the %s", name, view)
		}
	}
}

func mustSymbol(t *testing.T, p *PFE, name string) isa.Symbol {
	t.Helper()
	s, ok := p.cfg.Program.Symbol(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return s
}

// Routes and terms of filters are among the records.
func TestViewOfTables(t *testing.T) {
	b := newBench(t, Config{
		Node: "pfe", Program: compile(t, "tables", `
fields f { pkt->ip.src };
route routes[4];
filter acl[4] on f;
packet entry e;
e: begin exit; end
`), Tables: []Table{
			{Name: "routes", Routes: []lookup.Route{{Prefix: netip.MustParsePrefix("10.1.0.0/16"), NextHop: 7}}},
			{Name: "acl", Terms: []lookup.Term{{Name: "bad", Value: 3}}},
		},
	})
	b.wantRow(dataplane.ViewRecords, "routes[10.1.0.0/16]", map[string]string{"fields": "hop=7"})
	b.wantRow(dataplane.ViewRecords, "acl[0]", map[string]string{"fields": "bad value=3"})
}

// A record that the control plane makes has a timer's threads come by.
func TestWrittenRecordsAreScanned(t *testing.T) {
	b := newBench(t, Config{
		Node: "pfe", Program: compile(t, "scan", `
struct n_t { n : 64; };
hash n_t n_t numbers;
register timer_work_t t_work @ WORK_REGISTER;
register scan_reply_t scan;
counter seen;
packet entry e;
timer tick entry s;
e: begin exit; end
s: begin scan = HashScan(t_work.part, t_work.parts, 0); end
begin if (scan.found) async CounterIncPhys(seen, 0); exit; end
`), Timers: []Timer{{Name: "tick", Period: 1_000_000_000, Threads: 1, ScansOnly: true}},
	})
	b.mustWrite("numbers[5].n", "1")
	next := b.p.NextDeadline()
	b.eff.Reset()
	b.p.Expire(next, &b.eff)
	b.now = next
	b.wantRow(dataplane.ViewCounters, "seen", map[string]string{"packets": "1"})
}
