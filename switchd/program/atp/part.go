package atp

// Part returns a switch's part of a level in the aggregation for the server of an address; nil: it
// has none.
func (e *Entry) Part(server [4]byte, level int) *Part {
	if s := e.server(server); s != nil {
		return s.parts[level]
	}
	return nil
}
