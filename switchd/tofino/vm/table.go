package vm

import (
	mathbits "math/bits"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// tableCode is what is compiled of a table.
type tableCode struct {
	fixed   *Table     // of a table that no control plane changes or counts; nil: each pipe makes its own
	keys    []key      // by copy; one where all copies match as one
	actions [][]Action // by number and copy
}

func (c *Code) compileTable(t *tableCode, id int) {
	from := &c.prog.Tables[id]
	copies := from.Copies
	if c.matchesOnce(from) {
		copies = 1
	}
	for i := range copies {
		var fields []fit.FieldID
		for _, k := range from.Keys {
			fields = append(fields, k.Field.Of(i))
		}
		t.keys = append(t.keys, c.newKey(fields))
	}
	for i := range from.Actions {
		var copies []Action
		for n := range from.Copies {
			copies = append(copies, c.compileAction(&from.Actions[i], n))
		}
		t.actions = append(t.actions, copies)
	}
	onePipe := func(e fit.Entry) bool { return e.Pipe != 0 }
	if from.Const && !from.Counter && !slices.ContainsFunc(from.Entries, onePipe) {
		t.fixed = makeTable(from, t, 0)
	}
}

// matchesOnce reports whether no copy of a table can match otherwise than the
// first: the keys are the same, and no action changes them.
func (c *Code) matchesOnce(t *fit.Table) bool {
	for _, k := range t.Keys {
		if k.Field.Step != 0 {
			return false
		}
		for i := range t.Actions {
			if t.Copies > 1 && c.changes(&t.Actions[i], t.Copies, k.Field.ID) {
				return false
			}
		}
	}
	return true
}

// changes reports whether any copy of an action may change a field.
func (c *Code) changes(a *fit.Action, copies int, f fit.FieldID) bool {
	for i := range a.Do {
		o := &a.Do[i]
		if o.Header != fit.NoHeader && c.prog.Fields[f].Header == o.Header {
			return true
		}
		if o.Dst.ID != fit.NoField && f >= o.Dst.ID && f <= o.Dst.Of(copies-1) {
			return true
		}
	}
	return false
}

// Table is the state of a table in one pipe.
type Table struct {
	Rows   []*Row // ternary: by priority, then as they came
	key    *key   // of the first copy
	direct []*Row // of a constant table, by the bits that entries look at
	care   uint64 // bits that any entry looks at, of a key of one word
	shift  uint8  // of the first of these bits
	memo   [memoLines]memo
	exact  map[uint64]*Row // of keys of one word
	wide   map[string]*Row // of others
	Miss   Row             // the default action
	*fit.Table
}

// Row is an entry, or the default action.
type Row struct {
	fit.Entry       // its Action is -1 where there is none
	ID              EntryID
	Place           int // in the rows of the table; behind them that of the default action
	packets, bytes  uint64
	words, wordMask []uint64 // values and masks by word of the key
}

// Count counts a packet.
func (r *Row) Count(s *Pass) {
	r.packets++
	r.bytes += uint64(s.length)
}

// memo remembers what a key of one word matched: programs match on few, and packets
// of one flow come one after another.
type memo struct {
	word uint64
	row  *Row // nil: nothing is remembered
}

// memoLines is a power of two; the lines of all tables of a program should fit into
// a processor's first cache.
const (
	memoBits  = 4
	memoLines = 1 << memoBits
)

// newTable returns a table with the entries from the start that are of a pipe. What
// cannot change is there once, whatever the number of pipes.
func newTable(def *fit.Table, code *tableCode, pipe int) *Table {
	if code.fixed != nil {
		t := *code.fixed
		return &t
	}
	return makeTable(def, code, pipe)
}

func makeTable(def *fit.Table, code *tableCode, pipe int) *Table {
	k := &code.keys[0]
	t := &Table{Table: def, key: k, Miss: Row{ID: Default, Entry: fit.Entry{Action: def.Default, Args: def.Args}}}
	if !def.Ternary {
		if k.words == 1 {
			t.exact = map[uint64]*Row{}
		} else {
			t.wide = map[string]*Row{}
		}
	}
	for i := range def.Entries {
		if e := def.Entries[i]; e.Pipe == 0 || e.Pipe == pipe+1 {
			t.insert(k.newRow(EntryID(i), e))
		}
	}
	t.number()
	t.flatten()
	return t
}

// directBits is how wide that of a key may be which the entries of a constant table look
// at, for the table to be a list, not a map or a search, if it is narrow or has many entries;
// few are faster in the memo.
const (
	narrowBits    = 8
	directBits    = 16
	directEntries = 256
)

// flatten lists the rows of a constant table by the bits that they look at.
func (t *Table) flatten() {
	if !t.Const || t.key.words != 1 || t.care == 0 {
		return
	}
	low := mathbits.TrailingZeros64(t.care)
	wide := mathbits.Len64(t.care >> low)
	if wide > directBits || wide > narrowBits && len(t.Rows) < directEntries {
		return
	}
	t.shift, t.direct = uint8(low), make([]*Row, 1<<wide)
	for i := range t.direct {
		t.direct[i] = t.match(uint64(i) << low & t.care)
	}
	t.exact = nil
}

// newRow returns an entry of a table whose key this is.
func (k *key) newRow(id EntryID, e fit.Entry) *Row {
	return &Row{ID: id, Entry: e, words: k.pack(e.Values), wordMask: k.pack(e.Masks)}
}

// insert puts a row where it is found; it is not there yet.
func (t *Table) insert(r *Row) {
	clear(t.memo[:])
	t.care |= r.wordMask[0]
	if t.Ternary {
		at := len(t.Rows)
		for at > 0 && t.Rows[at-1].Priority > r.Priority {
			at--
		}
		t.Rows = slices.Insert(t.Rows, at, r)
		return
	}
	t.Rows = append(t.Rows, r)
	t.list(r)
}

// list lets an exact row be found, unless one before has the same values: the first
// counts.
func (t *Table) list(r *Row) {
	if t.exact != nil {
		if t.exact[r.words[0]] == nil {
			t.exact[r.words[0]] = r
		}
	} else if name := string(text(nil, r.words)); t.wide[name] == nil {
		t.wide[name] = r
	}
}

// number tells rows their places.
func (t *Table) number() {
	for i, r := range t.Rows {
		r.Place = i
	}
	t.Miss.Place = len(t.Rows)
}

// remove takes a row out.
func (t *Table) remove(at int) {
	r := t.Rows[at]
	t.Rows = slices.Delete(t.Rows, at, at+1)
	clear(t.memo[:])
	t.care = 0
	for _, o := range t.Rows {
		t.care |= o.wordMask[0]
	}
	switch {
	case t.Ternary:
		return
	case t.exact != nil:
		delete(t.exact, r.words[0])
	default:
		delete(t.wide, string(text(nil, r.words)))
	}
	if next := slices.IndexFunc(t.Rows, func(o *Row) bool { return slices.Equal(o.words, r.words) }); next >= 0 {
		t.list(t.Rows[next])
	}
}
