package fit

import (
	"fmt"
	"strings"
)

// String shows what is where: a row a stage with what it takes of each resource,
// then its tables and registers, then containers and parsers.
func (p *Program) String() string {
	var b strings.Builder
	r := &p.report
	fmt.Fprintf(&b, "program %q\n", p.Name)
	b.WriteString("stage")
	for k := range NumResources {
		fmt.Fprintf(&b, " %*s", width(k), k.Rule())
	}
	b.WriteString("\n")
	for i := range r.Stages {
		fmt.Fprintf(&b, "%5d", r.Stages[i].Stage)
		for k, u := range r.Stages[i].Uses {
			fmt.Fprintf(&b, " %*s", width(Resource(k)), fmt.Sprintf("%d/%d", u.Used, u.Available))
		}
		b.WriteString("\n")
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		if len(s.Tables) > 0 {
			fmt.Fprintf(&b, "stage %d: tables %s\n", s.Stage, strings.Join(s.Tables, ", "))
		}
		if len(s.Registers) > 0 {
			fmt.Fprintf(&b, "stage %d: registers %s\n", s.Stage, strings.Join(s.Registers, ", "))
		}
	}
	for _, u := range r.PHV {
		fmt.Fprintf(&b, "containers of %d bits: %d ingress, %d egress, of %d\n", u.Bits, u.Ingress, u.Egress, u.Available)
	}
	for _, u := range r.Tagalong {
		fmt.Fprintf(&b, "tagalong containers of %d bits: %d ingress, %d egress, of %d\n", u.Bits, u.Ingress, u.Egress, u.Available)
	}
	for side, u := range r.Parsers {
		fmt.Fprintf(&b, "%s parser: %d of %d bytes, %d of %d rows\n", Side(side), u.Depth.Used, u.Depth.Available, u.Rows.Used,
			u.Rows.Available)
	}
	return b.String()
}

// width of a column.
func width(k Resource) int { return max(len(k.Rule()), 6) }
