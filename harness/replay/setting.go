package replay

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// A Setting is something that the control plane writes before the first packet: an element
// of shared memory by its name, or a record of the hash table by its key.
type Setting struct {
	Where string // where it was written down, for errors: "--set", "table.txt:3"
	Name  string // of the source; empty: a record of the hash table
	Index uint64 // element
	Key   uint64 // of the record
	Value string // of an element
	Bytes []byte // of the record
}

// ParseSetting reads NAME=VALUE or NAME[INDEX]=VALUE. VALUE is a number for sram and dram,
// PACKETS,BYTES for a counter, and RATE,BURST for a policer, as in 10Mbit/s,64KiB.
func ParseSetting(where, text string) (Setting, error) {
	name, value, ok := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || value == "" {
		return Setting{}, fmt.Errorf("%s: %q: NAME=VALUE or NAME[INDEX]=VALUE is needed", where, text)
	}
	s := Setting{Where: where, Name: name, Value: value}
	if before, index, ok := strings.Cut(name, "["); ok {
		index, closed := strings.CutSuffix(index, "]")
		n, err := strconv.ParseUint(strings.TrimSpace(index), 0, 64)
		if err != nil || !closed {
			return Setting{}, fmt.Errorf("%s: %q: the index is a number in brackets, as in %s[3]", where, name, before)
		}
		s.Name, s.Index = strings.TrimSpace(before), n
	}
	return s, nil
}

// ParseTable reads a file of initial memory. A line is a setting as of ParseSetting, or a
// record of the hash table:
//
//	LIMIT[2] = 1000                 # what follows is a comment
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
	rest, ok := strings.CutPrefix(line, "hash ")
	if !ok {
		return ParseSetting(where, line)
	}
	key, value, ok := strings.Cut(rest, "=")
	n, err := strconv.ParseUint(strings.TrimSpace(key), 0, 64)
	if !ok || err != nil {
		return Setting{}, fmt.Errorf("%s: %q: hash KEY = BYTES is needed, with a key of up to 64 bits", where, line)
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
func (s Setting) apply(p *isa.Program, m *mem.Memory) error {
	if s.Name == "" {
		return s.insert(m)
	}
	symbol, ok := p.Symbol(s.Name)
	switch {
	case !ok:
		return fmt.Errorf("%s: program %s has no %s%s", s.Where, p.Name, s.Name, suggest.DidYouMean(s.Name, sharedNames(p)))
	case symbol.Kind == isa.SymbolConst:
		return fmt.Errorf("%s: %s is a constant of the compiler (%v): change it in the source", s.Where, s.Name, symbol.Pos)
	case !symbol.Kind.Shared():
		return fmt.Errorf("%s: %s is in %s, which every thread has anew (%v): give it an initial value in the source",
			s.Where, s.Name, symbol.Kind, symbol.Pos)
	case s.Index >= symbol.Len:
		return fmt.Errorf("%s: %s[%d] does not fit: %s has %d elements (%v)", s.Where, s.Name, s.Index, s.Name, symbol.Len, symbol.Pos)
	}
	return s.write(&symbol, m)
}

func sharedNames(p *isa.Program) (out []string) {
	for _, s := range p.Symbols {
		if s.Kind.Shared() {
			out = append(out, s.Name)
		}
	}
	return out
}

// insert makes a record of the hash table.
func (s Setting) insert(m *mem.Memory) error {
	at, created, ok := m.Hash().Insert(s.Key)
	if !ok {
		return fmt.Errorf("%s: the record of key %#x does not fit: the hash table has %d records", s.Where, s.Key, m.Hash().Cap())
	}
	if !created {
		return fmt.Errorf("%s: there is a record of key %#x already", s.Where, s.Key)
	}
	var record [mem.RecordBytes]byte
	copy(record[:], s.Bytes)
	return s.fault(m.Write(at, record[:]))
}

// write writes an element.
func (s Setting) write(symbol *isa.Symbol, m *mem.Memory) error {
	each := (symbol.Size + isa.WordBytes - 1) / isa.WordBytes / symbol.Len
	at := mem.Addr(symbol.Value + s.Index*each)
	switch symbol.Kind {
	case isa.SymbolCounter:
		v, err := s.numbers(2, "PACKETS,BYTES")
		if err != nil {
			return err
		}
		return s.fault(m.Store(at, v[0]), m.Store(at+1, v[1]))
	case isa.SymbolPolicer:
		rate, burst, err := s.bucket()
		if err != nil {
			return err
		}
		return s.fault(m.SetPolicer(at, rate, burst, 0))
	}
	v, err := s.numbers(1, "a number of up to 64 bits")
	if err != nil {
		return err
	}
	return s.fault(m.Store(at, v[0]))
}

// numbers reads so many numbers, with commas between them; those that lack are 0.
func (s Setting) numbers(n int, want string) ([]uint64, error) {
	fields := strings.Split(s.Value, ",")
	out := make([]uint64, n)
	for i, f := range fields {
		v, err := strconv.ParseUint(strings.TrimSpace(f), 0, 64)
		if err != nil || i >= n {
			return nil, fmt.Errorf("%s: %s = %q does not fit: %s is needed", s.Where, s.Name, s.Value, want)
		}
		out[i] = v
	}
	return out, nil
}

// bucket reads the rate and burst of a policer.
func (s Setting) bucket() (rate units.Rate, burst units.Bytes, err error) {
	first, second, _ := strings.Cut(s.Value, ",")
	rate, err = units.ParseRate(strings.TrimSpace(first))
	if err == nil {
		burst, err = units.ParseBytes(strings.TrimSpace(second))
	}
	if err == nil && (burst < 0 || burst > 1<<32-1) {
		err = errors.New("the burst is at most 4GiB less 1B")
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %s = %q: RATE,BURST is needed, as in 10Mbit/s,64KiB: %w", s.Where, s.Name, s.Value, err)
	}
	return rate, burst, nil
}

// fault reports what memory has refused.
func (s Setting) fault(list ...mem.Fault) error {
	for _, f := range list {
		if f != mem.NoFault {
			return fmt.Errorf("%s: writing %s: %v", s.Where, s.Name, f)
		}
	}
	return nil
}
