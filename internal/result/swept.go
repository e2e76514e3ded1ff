package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Point is one point of a sweep. The zero value is that of a scenario without one. In JSON it
// is an object of the swept keys, in their order.
type Point struct {
	Index int // in the order of the sweep; not in JSON
	Keys  []Swept
}

// Swept is a key of a scenario that a sweep gives several values, and the one that it has
// at a point.
type Swept struct{ Key, Value string }

// String names the point, as in "link.loss=1%"; it is empty where nothing is swept.
func (p Point) String() string {
	var words []string
	for _, k := range p.Keys {
		words = append(words, k.Key+"="+k.Value)
	}
	return strings.Join(words, " ")
}

// At names the point and a straggle probability, as in "p=16%" where nothing is swept.
func (p Point) At(straggle float64) string {
	text := fmt.Sprintf("p=%g%%", 100*straggle)
	switch {
	case p.IsZero():
		return text
	case straggle == 0:
		return p.String()
	}
	return p.String() + " " + text
}

// Value returns the value of a key, or "" where it is not swept.
func (p Point) Value(key string) string {
	for _, k := range p.Keys {
		if k.Key == key {
			return k.Value
		}
	}
	return ""
}

// IsZero reports whether nothing is swept.
func (p Point) IsZero() bool { return len(p.Keys) == 0 }

// MarshalJSON writes the keys in their order.
func (p Point) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, k := range p.Keys {
		pair, err := json.Marshal(map[string]string{k.Key: k.Value})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(pair[1 : len(pair)-1])
	}
	return append(append([]byte{'{'}, b.Bytes()...), '}'), nil
}

// UnmarshalJSON reads the keys in their order.
func (p *Point) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	var words []string
	for {
		token, err := dec.Token()
		if err != nil {
			break // the end: the text was checked before it came here
		}
		if word, ok := token.(string); ok {
			words = append(words, word)
		} else if _, ok := token.(json.Delim); !ok {
			return fmt.Errorf("the point of a sweep has %v where a text is needed", token)
		}
	}
	*p = Point{}
	for i := 0; i+1 < len(words); i += 2 {
		p.Keys = append(p.Keys, Swept{words[i], words[i+1]})
	}
	return nil
}
