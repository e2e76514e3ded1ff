package trio

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// maxVisited bounds the elements that a view looks at (assumed): the thread that forwards
// makes it.
const maxVisited = 1 << 16

var counterColumns = []dataplane.Column{
	{Key: "counter", Name: "counter"}, {Key: "address", Name: "address"},
	{Key: "packets", Name: "packets"}, {Key: "bytes", Name: "bytes", Unit: "B"},
}

// viewCounters has one row for each counter; of an array, for each that has counted.
func (p *PFE) viewCounters(names []symbol.Place, limit int) dataplane.Table {
	t := dataplane.Table{Columns: counterColumns, Notes: []string{"the program is " + p.cfg.Program.Name}}
	p.visit(names, func(at *symbol.Place, a mem.Addr) {
		packets, bytes, _ := p.memory.Counter(a)
		t.Add(dataplane.Text(at.Name), dataplane.Text(fmt.Sprintf("%#x", uint32(a))), dataplane.Int(packets), dataplane.Int(bytes))
	}, &t.Notes)
	t.Cut(limit)
	return t
}

// visit calls a function for each element in shared memory: for one alone and for those
// that are asked for by number whatever they hold, for others of an array if they are not
// zero.
func (p *PFE) visit(names []symbol.Place, each func(*symbol.Place, mem.Addr), notes *[]string) {
	sparse := false
	for i := range names {
		at := names[i]
		if !at.Whole {
			at.Bit = 0 // of the element that it is in
			a, _ := p.wordOf(&at)
			each(&at, a)
			continue
		}
		sparse = true
		if !p.visitArray(at, each) {
			*notes = append(*notes, fmt.Sprintf("%s: only the first %d elements that may hold something were looked at", at.Name, maxVisited))
		}
	}
	if sparse {
		*notes = append(*notes, "elements of arrays that are all zero are left out")
	}
}

// visitArray visits the elements of an array that are not zero; false: there are too many.
func (p *PFE) visitArray(at symbol.Place, each func(*symbol.Place, mem.Addr)) bool {
	s, words := at.Symbol, mem.Addr(at.Stride()/isa.RegisterBits)
	start := mem.Addr(s.Value)
	visited, next := 0, uint64(0)
	for r := range p.memory.Written(mem.Range{Start: start, End: start + mem.Addr(s.Size/isa.WordBytes)}) {
		for i := max(next, uint64((r.Start-start)/words)); i < s.Len && start+mem.Addr(i)*words < r.End; i++ {
			if visited++; visited > maxVisited {
				return false
			}
			a := start + mem.Addr(i)*words
			if next = i + 1; p.zeroWords(a, words) {
				continue
			}
			one := at
			one.Name, one.Whole, one.Index = fmt.Sprintf("%s[%d]", s.Name, i), false, i
			each(&one, a)
		}
	}
	return true
}

func (p *PFE) zeroWords(a, words mem.Addr) bool {
	for i := range words {
		if w, _ := p.memory.Load(a + i); w != 0 {
			return false
		}
	}
	return true
}

// records makes rows of what tables hold.
type records struct {
	*PFE
	table  dataplane.Table
	leaves []symbol.Leaf // columns, where all rows are of one type
	limit  int
}

// viewRecords has one row for each record; of one name that is asked for, with a column for
// each field.
func (p *PFE) viewRecords(names []symbol.Place, named bool, limit int) dataplane.Table {
	r := records{PFE: p, limit: limit}
	r.table.Notes = []string{"the program is " + p.cfg.Program.Name}
	r.columns(names, named)
	var rest []symbol.Place
	var hashed []symbol.Place
	for _, at := range names {
		if at.Symbol.Kind == isa.SymbolHash {
			hashed = append(hashed, at)
		} else {
			rest = append(rest, at)
		}
	}
	r.hash(hashed, !named)
	p.visit(rest, r.add, &r.table.Notes)
	if !named {
		r.lookups()
	}
	r.table.Cut(limit)
	return r.table
}

func (r *records) columns(names []symbol.Place, named bool) {
	c := []dataplane.Column{{Key: "record", Name: "record"}, {Key: "address", Name: "address", Spare: 1}, {Key: "ref", Name: "ref"}}
	if named {
		r.leaves, _ = symbol.Leaves(r.cfg.Program, names[0].Symbol.Type)
	}
	for _, l := range r.leaves {
		c = append(c, dataplane.Column{Key: leafKey(l.Name), Name: leafKey(l.Name)})
	}
	if r.leaves == nil {
		c = append(c, dataplane.Column{Key: "fields", Name: "fields that are not zero"})
	}
	r.table.Columns = c
}

// leafKey names the column of a number.
func leafKey(name string) string {
	if name == "" {
		return "value"
	}
	return strings.NewReplacer(".", "_", "[", "_", "]", "").Replace(name)
}

// hash adds the records of the hash table, each by the first name that its key matches. all
// has those that no name matches, too.
func (r *records) hash(names []symbol.Place, all bool) {
	for key, a := range r.memory.Hash().All() {
		one := symbol.Place{Name: fmt.Sprintf("hash record %#x", key)}
		s, known := symbol.OfKey(r.cfg.Program, key)
		if known {
			one = r.placeOf(s)
			one.Name, one.Whole = s.Name+"["+symbol.FormatKey(r.cfg.Program, s.Key, key)+"]", false
		}
		one.Keyed, one.Key = true, key
		if all && !known || known && asked(names, &one) {
			if len(r.table.Rows) < r.limit {
				r.add(&one, a)
			} else {
				r.table.Total++
			}
		}
	}
}

// asked reports whether a record is one of those that names mean.
func asked(names []symbol.Place, one *symbol.Place) bool {
	for i := range names {
		n := &names[i]
		if n.Symbol.Name == one.Symbol.Name && (!n.Keyed || n.Key == one.Key) {
			return true
		}
	}
	return false
}

// add makes the row of a record.
func (r *records) add(at *symbol.Place, a mem.Addr) {
	row := []dataplane.Value{dataplane.Text(at.Name), dataplane.Text(fmt.Sprintf("%#x", uint32(a))), {}}
	if at.Keyed {
		row[2] = dataplane.Bool(r.memory.Hash().Referenced(at.Key))
	}
	if r.leaves != nil {
		for _, l := range r.leaves {
			row = append(row, r.leaf(a, l))
		}
		r.table.Add(row...)
		return
	}
	r.table.Add(append(row, dataplane.Text(r.fields(at, a)))...)
}

// leaf is one number of a record.
func (r *records) leaf(a mem.Addr, l symbol.Leaf) dataplane.Value {
	n, ok := loadBits(r.memory, a+mem.Addr(l.Bit/isa.RegisterBits), l.Bit%isa.RegisterBits, l.Type.Bits)
	if !ok {
		return dataplane.Value{}
	}
	text := symbol.Format(l.Type, l.Name, n)
	switch {
	case l.Type.Form == isa.FormBool:
		return dataplane.Bool(n != 0)
	case text[0] >= '0' && text[0] <= '9' && !strings.ContainsAny(text, ".:"):
		return dataplane.Int(n)
	}
	return dataplane.Text(text)
}

// fields writes the numbers of a record that are not zero.
func (r *records) fields(at *symbol.Place, a mem.Addr) string {
	leaves, cut := symbol.Leaves(r.cfg.Program, at.Symbol.Type)
	if at.Symbol.Type == 0 {
		leaves = words
	}
	var parts []string
	for _, l := range leaves {
		n, ok := loadBits(r.memory, a+mem.Addr(l.Bit/isa.RegisterBits), l.Bit%isa.RegisterBits, l.Type.Bits)
		switch text := symbol.Format(l.Type, l.Name, n); {
		case !ok || n == 0:
		case l.Name == "":
			parts = append(parts, text)
		default:
			parts = append(parts, l.Name+"="+text)
		}
	}
	if cut {
		parts = append(parts, "...")
	}
	return strings.Join(parts, " ")
}

// words are what is known of a record whose type no declaration gives.
var words = func() (out []symbol.Leaf) {
	for i := range uint64(isa.HashRecordBytes / isa.WordBytes) {
		out = append(out, symbol.Leaf{Name: fmt.Sprintf("word%d", i), Type: isa.Type{Form: isa.FormBits, Bits: isa.RegisterBits}, Bit: i * isa.RegisterBits})
	}
	return out
}()
