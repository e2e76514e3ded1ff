package scenarios

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/switchd/program/user"
)

// rawTerm is a term of a filter: what it wants of fields, and what the program gets.
type rawTerm struct {
	Name  string        `yaml:"name,omitempty" json:",omitempty"`
	Match yaml.MapSlice `yaml:"match,omitempty" json:",omitempty"`
	Value int           `yaml:"value,omitempty" json:",omitempty"`
}

// count returns how many of some things are so.
func count(list ...bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}

// terms fills a filter, its terms in the order of the file. Each is written as "inalab switch
// set" writes it, by names, so that a program that replaces this one has it too.
func (r *resolver) terms(at string, f rawTable, e *user.Engine, set func(at, name string, value any)) {
	if _, err := e.Filter(f.Name); err != nil {
		r.wrong(at+".name", err)
		return
	}
	before := len(r.errs)
	taken := map[string]bool{} // looked up
	for k, x := range f.Terms {
		here := fmt.Sprintf("%s.terms[%d]", at, k)
		if _, err := strconv.ParseUint(x.Name, 0, 64); err == nil || strings.ContainsAny(x.Name, "[] \t") {
			r.wrong(here+".name", fmt.Errorf("%q: terms are called by words, as in web, or by their number where they have no name", x.Name))
		}
		if x.Name != "" && taken[x.Name] {
			r.wrong(here+".name", fmt.Errorf("term %s is given twice", x.Name))
		}
		taken[x.Name] = true
		text := r.term(here, f.Name, &x, e)
		if len(r.errs) == before {
			set(here, fmt.Sprintf("%s[%s]", f.Name, cmp.Or(x.Name, strconv.Itoa(k))), text)
		}
	}
}

// term writes a term as text, and checks each of its fields.
func (r *resolver) term(at, filter string, f *rawTerm, e *user.Engine) string {
	var parts []string
	for _, item := range f.Match {
		field, match := fmt.Sprint(item.Key), fmt.Sprint(item.Value)
		if err := e.CheckMatch(filter, field, match); err != nil {
			r.wrong(fmt.Sprintf("%s.match.'%s'", at, field), err)
		}
		parts = append(parts, field+"="+match)
	}
	r.between(at+".value", f.Value, 0, 1<<32-1)
	return strings.Join(append(parts, fmt.Sprintf("value=%d", f.Value)), " ")
}
