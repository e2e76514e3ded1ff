package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// writeCSV writes the columns that have a key.
func writeCSV(w io.Writer, t Table) error {
	out := csv.NewWriter(w)
	var header []string
	for _, c := range t.Columns {
		if c.Key != "" {
			header = append(header, c.Key)
		}
	}
	if err := out.Write(header); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	for _, row := range t.Rows {
		var record []string
		for i, c := range t.Columns {
			if c.Key != "" {
				record = append(record, row[i].program)
			}
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("write row: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// writeTableJSON writes one object with the rows under their keys, in the order
// of the columns.
func writeTableJSON(w io.Writer, t Table) error {
	doc := struct {
		SchemaVersion int               `json:"schema_version"`
		ID            string            `json:"id,omitempty"`
		Title         string            `json:"title,omitempty"`
		Columns       []columnJSON      `json:"columns,omitempty"`
		Rows          []json.RawMessage `json:"rows"`
		Notes         []string          `json:"notes,omitempty"`
	}{SchemaVersion: SchemaVersion, Notes: t.Notes}
	if t.ID != "" {
		doc.ID, doc.Title, doc.Columns = t.ID, t.Title, columnsJSON(t.Columns)
	}
	var err error
	if doc.Rows, err = t.Objects(); err != nil {
		return err
	}
	return WriteJSON(w, doc)
}

// Objects returns each row as a JSON object of the columns that have a key.
func (t Table) Objects() ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(t.Rows))
	for i, row := range t.Rows {
		var err error
		if out[i], err = rowObject(t.Columns, row); err != nil {
			return nil, fmt.Errorf("write row %d: %w", i, err)
		}
	}
	return out, nil
}

// columnJSON describes a key of the rows.
type columnJSON struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Unit string `json:"unit"` // of the values in the rows; "" for none
}

func columnsJSON(columns []Column) []columnJSON {
	var out []columnJSON
	for _, c := range columns {
		if c.Key == "" {
			continue
		}
		unit := c.Unit
		if unit == "%" {
			unit = "fraction" // what programs get of a [Percent] cell
		}
		out = append(out, columnJSON{c.Key, c.Name, unit})
	}
	return out
}

func rowObject(columns []Column, row []Cell) (json.RawMessage, error) {
	var keys []string
	var values []any
	for i, c := range columns {
		if c.Key != "" {
			keys, values = append(keys, c.Key), append(values, row[i])
		}
	}
	return Object(keys, values)
}

// MarshalJSON writes what programs see.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.text:
		return Marshal(c.program)
	case c.program == "":
		return []byte("null"), nil
	}
	return []byte(c.program), nil
}

// Object writes one JSON object with the keys in their order, which a map would
// not keep.
func Object(keys []string, values []any) ([]byte, error) {
	out := []byte{'{'}
	for i, key := range keys {
		name, err := Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := Marshal(values[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = slices.Concat(out, name, []byte{':'}, value)
	}
	return append(out, '}'), nil
}

// Marshal is json.Marshal without the escapes for HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteJSON writes v indented, without escapes for HTML. The caller's type
// carries schema_version.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
