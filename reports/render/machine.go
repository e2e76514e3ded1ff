package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
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
	}{SchemaVersion: SchemaVersion, Rows: make([]json.RawMessage, len(t.Rows)), Notes: t.Notes}
	if t.ID != "" {
		doc.ID, doc.Title, doc.Columns = t.ID, t.Title, columnsJSON(t.Columns)
	}
	for i, row := range t.Rows {
		object, err := rowObject(t.Columns, row)
		if err != nil {
			return fmt.Errorf("write row %d: %w", i, err)
		}
		doc.Rows[i] = object
	}
	return WriteJSON(w, doc)
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

// rowObject keeps the order of the columns, which a map would not.
func rowObject(columns []Column, row []Cell) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range columns {
		if c.Key == "" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(c.Key)
		if err != nil {
			return nil, err
		}
		value, err := row[i].json()
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (c Cell) json() ([]byte, error) {
	switch {
	case c.text:
		return marshal(c.program)
	case c.program == "":
		return []byte("null"), nil
	}
	return []byte(c.program), nil
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
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
