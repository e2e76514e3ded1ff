package spec

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/yamldoc"
	"github.com/inalab/inalab/topo/linktext"
)

// Wrong reports what is wrong with the value at a path such as "links[1].rate", where it stands. A value
// that the file lacks stands where it would be.
func (t *Topology) Wrong(path string, err error) error {
	n, _ := t.find(path)
	n.What = path
	return n.Errorf("%v", err)
}

// find returns the value at a path, or the nearest around it; exact says which. A node or a kind is found
// by its name.
func (t *Topology) find(path string) (found yamldoc.Node, exact bool) {
	found, _ = t.doc.Find("")
	if path == "" {
		return found, true
	}
	steps := strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[]", c) })
	for i, step := range steps {
		next, ok := child(found, step)
		if ok && i == 1 && len(steps) == 2 && (steps[0] == "nodes" || steps[0] == "kinds") {
			return found.Key(step)
		}
		if !ok {
			return found, false
		}
		found = next
	}
	return found, true
}

// child returns a value of a mapping by its key, or of a list by its number.
func child(n yamldoc.Node, step string) (yamldoc.Node, bool) {
	list, ok := n.Node.(*ast.SequenceNode)
	if !ok {
		return n.Get(step)
	}
	i, err := strconv.Atoi(step)
	if err != nil || i < 0 || i >= len(list.Values) {
		return yamldoc.Node{}, false
	}
	return yamldoc.Node{Node: list.Values[i], Doc: n.Doc}, true
}

// WhereDropped returns the path at which packets of a job and slot are lost by name.
func (t *Topology) WhereDropped(job int, slot uint32) (path string, ok bool) {
	return linktext.WhereDropped(&t.file, job, slot)
}
