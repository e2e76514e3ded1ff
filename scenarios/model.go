package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
)

const (
	// leastModel is one value.
	leastModel units.Bytes = 4
	// mostModel is above the models of the papers (assumed).
	mostModel = 64 * units.GiB
	// mostCompute is above the compute times of the papers (assumed).
	mostCompute = 3600 * units.Second
)

// rawModel is the name of a profile, or a gradient of a size of one's own.
type rawModel struct {
	Bytes   string `yaml:"bytes,omitempty" json:",omitempty"`
	Size    string `yaml:"size,omitempty" json:",omitempty"` // the same as bytes
	Compute string `yaml:"compute,omitempty"`

	word string // the name of a profile
	both bool   // bytes and size were written
}

// UnmarshalYAML reads a word, or a mapping over what there is.
func (m *rawModel) UnmarshalYAML(unmarshal func(any) error) error {
	var word string
	err := unmarshal(&word)
	if err == nil {
		*m = rawModel{word: word}
		return nil
	}
	if list := []any{}; unmarshal(&list) == nil {
		return err
	}
	type mapping rawModel
	before := *m
	*m = rawModel{Compute: m.Compute}
	if err := unmarshal((*mapping)(m)); err != nil {
		return err
	}
	if m.both = m.Bytes != "" && m.Size != ""; m.Bytes == "" && m.Size == "" {
		m.Bytes, m.Size = before.Bytes, before.Size
	}
	return nil
}

// size returns the size of the gradient, and the key that has it.
func (m rawModel) size() (text, key string) {
	if m.Size != "" {
		return m.Size, "size"
	}
	return m.Bytes, "bytes"
}

// value is what was written.
func (m rawModel) value() any {
	type mapping rawModel
	if m.named() {
		return m.word
	}
	return mapping(m)
}

// named reports whether there is no size of one's own.
func (m rawModel) named() bool { return m.Bytes == "" && m.Size == "" && m.Compute == "" }

// MarshalYAML writes what was read.
func (m rawModel) MarshalYAML() (any, error) { return m.value(), nil }

// MarshalJSON writes what was read.
func (m rawModel) MarshalJSON() ([]byte, error) { return json.Marshal(m.value()) }

// IsZero reports whether nothing was written.
func (m rawModel) IsZero() bool { return m == rawModel{} }

// model reads a profile by its name, or one that is nothing but a size and a time.
func (r *resolver) model(path string, m rawModel, scale int) profiles.Profile {
	if m.named() {
		p, err := profiles.Lookup(m.word)
		r.wrong(path, err)
		return p
	}
	size, key := m.size()
	at := path + "." + key
	switch {
	case m.both:
		r.wrong(at, errors.New("bytes and size are the same: leave one of the two out"))
		return profiles.Profile{}
	case size == "":
		r.wrong(path, errors.New("bytes are missing: write the size of the gradient, as in {bytes: 4MiB, compute: 0s}"))
		return profiles.Profile{}
	}
	p := profiles.Profile{Name: size, Task: "none: values are made up"}
	var err error
	if p.Bytes, err = units.ParseBytes(size); err != nil {
		r.wrong(at, err)
		return p
	}
	switch {
	case p.Bytes < leastModel || p.Bytes > mostModel:
		r.wrong(at, fmt.Errorf("%s: allowed are %v to %v, as in 4MiB", size, leastModel, mostModel))
	case p.Bytes/units.Bytes(max(1, scale)) < leastModel:
		r.wrong(at, fmt.Errorf("%s: not one value of 4 bytes is left of it at scale %d: write more, or a lower scale", size, scale))
	}
	if m.Compute != "" {
		p.Compute = r.duration(path+".compute", m.Compute)
		if p.Compute > mostCompute {
			r.wrong(path+".compute", fmt.Errorf("%s: allowed are times up to %v", m.Compute, mostCompute))
		}
	}
	return p
}
