package replay

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/symbol"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// A Setting is something that the control plane writes before the first packet: a variable
// in shared memory, a record of the hash table by its key, or an entry of a table.
type Setting struct {
	Where string // where it was written down, for errors: "--set", "table.txt:3"
	Name  string // of a variable, with fields and indexes (package symbol), or of an entry (package trio); empty: of none
	Value string // of that
	Key   uint64 // of the record
	Bytes []byte // of the record
}

// ParseSetting reads NAME=VALUE. NAME is that of a number in shared memory, with fields and
// indexes as package symbol has them; VALUE is a number, an address, true or false. Of a
// policer the whole may be set: RATE,BURST, as in 10Mbit/s,64KiB. A route, or a term of a filter, is named and
// written as for "inalab switch set".
func ParseSetting(where, text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || value == "" {
		return Setting{}, fmt.Errorf("%s: %q: NAME=VALUE is needed, as in limits[2].rate=1000", where, text)
	}
	return Setting{Where: where, Name: name, Value: value}, nil
}

// ParseTable reads a file of initial memory and tables. A line is a setting as of
// ParseSetting, or a record of the hash table in bytes.
//
//	limits[2].rate = 1000           # what follows is a comment
//	policers[0] = 10Mbit/s,64KiB
//	WAYS[10.0.0.0/8] = 4
//	REFUSED[web] = dst=10.1.0.0/16 proto=6 value=1
//	hash 0x0a000001 = 0000000000000005
func ParseTable(file, text string) ([]Setting, error) {
	var out []Setting
	var errs []error
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		s, err := parseLine(fmt.Sprintf("%s:%d", file, i+1), line)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}

func parseLine(where, line string) (Setting, error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if word == "hash" && !strings.HasPrefix(rest, "=") { // and no variable of that name
		return parseRecord(where, rest)
	}
	return ParseSetting(where, line)
}

// parseRecord reads "KEY = BYTES".
func parseRecord(where, line string) (Setting, error) {
	key, value, ok := strings.Cut(line, "=")
	n, err := strconv.ParseUint(strings.TrimSpace(key), 0, 64)
	if !ok || err != nil {
		return Setting{}, fmt.Errorf("%s: hash %s: hash KEY = BYTES is needed, with a key of up to 64 bits", where, line)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(value), ""))
	if err != nil {
		return Setting{}, fmt.Errorf("%s: the record of key %#x: hexadecimal digits are needed, two for each byte", where, n)
	}
	if len(b) > mem.RecordBytes {
		return Setting{}, fmt.Errorf("%s: the record of key %#x has %d bytes: a record has %d", where, n, len(b), mem.RecordBytes)
	}
	return Setting{Where: where, Key: n, Bytes: b}, nil
}

// apply writes a setting.
func (s Setting) apply(p *isa.Program, pfe *trio.PFE) error {
	var err error
	if s.Name == "" {
		err = s.insert(pfe.Memory())
	} else {
		err = s.write(p, pfe)
	}
	if refused := (*dataplane.Refusal)(nil); errors.As(err, &refused) {
		err = errors.New(refused.What) // what to do about it is said to users of a running switch
	}
	if declared, ok := p.Symbol(nameOf(s.Name)); ok && err != nil {
		err = fmt.Errorf("%w (declared at %v)", err, declared.Pos)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Where, err)
	}
	return nil
}

// nameOf returns a name without fields and indexes.
func nameOf(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// insert makes a record of the hash table.
func (s Setting) insert(m *mem.Memory) error {
	at, created, ok := m.Hash().Insert(s.Key)
	if !ok {
		return fmt.Errorf("the record of key %#x does not fit: the hash table has %d records", s.Key, m.Hash().Cap())
	}
	if !created {
		return fmt.Errorf("there is a record of key %#x already", s.Key)
	}
	var record [mem.RecordBytes]byte
	copy(record[:], s.Bytes)
	return refused(m.Write(at, record[:]))
}

// write writes a variable or an entry: a policer by rate and burst, all else as the control plane of a
// switch does.
func (s Setting) write(p *isa.Program, pfe *trio.PFE) error {
	at, err := symbol.Find(p, s.Name)
	first, second, both := strings.Cut(s.Value, ",")
	if err != nil || at.Symbol.Kind != isa.SymbolPolicer || !both || at.Type.Form != isa.FormRecord || at.Whole {
		_, err := pfe.SetValue(0, dataplane.Write{Name: s.Name, Value: s.Value, Create: true})
		return err
	}
	rate, err := units.ParseRate(strings.TrimSpace(first))
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	burst, err := units.ParseBytes(strings.TrimSpace(second))
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if burst < 0 || burst > 1<<32-1 {
		return fmt.Errorf("%s: a burst of %v: at most 4GiB less 1B are possible", s.Name, burst)
	}
	word := at.Symbol.Value + at.Index*at.Stride()/isa.RegisterBits
	return refused(pfe.Memory().SetPolicer(mem.Addr(word), rate, burst, 0))
}

// refused is the error of a fault of memory.
func refused(f mem.Fault) error {
	if f == mem.NoFault {
		return nil
	}
	return errors.New(f.String())
}
