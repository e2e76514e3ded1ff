package vm

import (
	mathbits "math/bits"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// tableCode is what is compiled of a table.
type tableCode struct {
	fixed   *table           // of a table that no control plane changes or counts; nil: each pipe makes its own
	keys    []key            // by copy; one where all copies have the same
	once    bool             // looked up once, for all copies
	actions [][]instructions // by number and copy
	vectors []*vector        // by number of action: all copies at once; nil: one by one
}

func (c *Code) compileTable(t *tableCode, id int) {
	from := &c.prog.Tables[id]
	t.once = c.lookedUpOnce(from)
	copies := from.Copies
	if t.once {
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
		var copies []instructions
		for n := range from.Copies {
			copies = append(copies, c.compileAction(&from.Actions[i], n))
		}
		t.actions = append(t.actions, copies)
		t.vectors = append(t.vectors, c.compileVector(from, &from.Actions[i]))
	}
	ofOne := func(e fit.Entry) bool { return e.Pipe != 0 }
	if from.Const && !from.Counter && !slices.ContainsFunc(from.Entries, ofOne) {
		t.fixed = makeTable(from, t, 0)
	}
}

// lookedUpOnce reports whether no copy of a table can match otherwise than the
// first: the keys are the same, and no action changes them.
func (c *Code) lookedUpOnce(t *fit.Table) bool {
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
		if o.Header != fit.NoHeader && ends(o.Kind) && c.prog.Fields[f].Header == o.Header {
			return true
		}
		if o.Dst.ID != fit.NoField && f >= o.Dst.ID && f <= o.Dst.Of(copies-1) {
			return true
		}
	}
	return false
}

// table is the state of a table in one pipe.
type table struct {
	key     *key   // of the first copy
	rows    []*row // ternary: by priority, then as they came
	direct  []*row // of a constant table, by the bits that entries look at
	care    uint64 // bits that any entry looks at, of a key of one word
	shift   uint8  // of the first of these bits
	counter bool
	memo    [memoLines]memo
	miss    row
	exact   map[uint64]*row // of keys of one word
	wide    map[string]*row // of others
	def     *fit.Table
}

// row is an entry, or the default action.
type row struct {
	code           instructions // of the action, first copy
	args           []uint64
	vector         *vector // all copies at once; nil: one by one
	action         int     // -1: none
	packets, bytes uint64
	values, masks  []uint64 // by word of the key
	id             EntryID
	place          int // in the rows of the table, behind them that of the default action
	entry          fit.Entry
}

// count counts a packet.
func (r *row) count(s *Pass) {
	r.packets++
	r.bytes += uint64(s.length)
}

// memo remembers what a key of one word matched: programs match on few, and packets
// of one flow come one after another.
type memo struct {
	word uint64
	row  *row // nil: nothing is remembered
}

// memoLines is a power of two; the lines of all tables of a program should fit into
// a processor's first cache.
const (
	memoBits  = 4
	memoLines = 1 << memoBits
)

// newTable returns a table with the entries from the start that are of a pipe. What
// cannot change is there once, whatever the number of pipes.
func newTable(def *fit.Table, of *tableCode, pipe int) *table {
	if of.fixed != nil {
		t := *of.fixed
		return &t
	}
	return makeTable(def, of, pipe)
}

func makeTable(def *fit.Table, of *tableCode, pipe int) *table {
	k := &of.keys[0]
	t := &table{def: def, key: k, counter: def.Counter, miss: of.blank(Default, def.Default, def.Args)}
	if !def.Ternary {
		if k.words == 1 {
			t.exact = map[uint64]*row{}
		} else {
			t.wide = map[string]*row{}
		}
	}
	for i := range def.Entries {
		if e := def.Entries[i]; e.Pipe == 0 || e.Pipe == pipe+1 {
			t.insert(of.newRow(EntryID(i), e))
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
func (t *table) flatten() {
	if !t.def.Const || t.key.words != 1 || t.care == 0 {
		return
	}
	low := mathbits.TrailingZeros64(t.care)
	wide := mathbits.Len64(t.care >> low)
	if wide > directBits || wide > narrowBits && len(t.rows) < directEntries {
		return
	}
	t.shift, t.direct = uint8(low), make([]*row, 1<<wide)
	for i := range t.direct {
		t.direct[i] = t.match(uint64(i) << low & t.care)
	}
	t.exact = nil
}

// blank returns a row that matches nothing.
func (c *tableCode) blank(id EntryID, action int, args []uint64) row {
	r := row{id: id, action: action, args: args}
	if action >= 0 {
		r.code, r.vector = c.actions[action][0], c.vectors[action]
	}
	return r
}

func (c *tableCode) newRow(id EntryID, e fit.Entry) *row {
	r, k := c.blank(id, e.Action, e.Args), &c.keys[0]
	r.values, r.masks, r.entry = k.pack(e.Values), k.pack(e.Masks), e
	return &r
}

// insert puts a row where it is found; it is not there yet.
func (t *table) insert(r *row) {
	clear(t.memo[:])
	t.care |= r.masks[0]
	if t.def.Ternary {
		at := len(t.rows)
		for at > 0 && t.rows[at-1].entry.Priority > r.entry.Priority {
			at--
		}
		t.rows = slices.Insert(t.rows, at, r)
		return
	}
	t.rows = append(t.rows, r)
	t.list(r)
}

// list lets an exact row be found, unless one before has the same values: the first
// counts.
func (t *table) list(r *row) {
	if t.exact != nil {
		if t.exact[r.values[0]] == nil {
			t.exact[r.values[0]] = r
		}
	} else if name := string(text(nil, r.values)); t.wide[name] == nil {
		t.wide[name] = r
	}
}

// number tells rows their places.
func (t *table) number() {
	for i, r := range t.rows {
		r.place = i
	}
	t.miss.place = len(t.rows)
}

// remove takes a row out.
func (t *table) remove(at int) {
	r := t.rows[at]
	t.rows = slices.Delete(t.rows, at, at+1)
	clear(t.memo[:])
	t.care = 0
	for _, o := range t.rows {
		t.care |= o.masks[0]
	}
	switch {
	case t.def.Ternary:
		return
	case t.exact != nil:
		delete(t.exact, r.values[0])
	default:
		delete(t.wide, string(text(nil, r.values)))
	}
	if next := slices.IndexFunc(t.rows, func(o *row) bool { return slices.Equal(o.values, r.values) }); next >= 0 {
		t.list(t.rows[next])
	}
}
