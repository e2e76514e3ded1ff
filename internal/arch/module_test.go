package arch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inalab/inalab/internal/yamldoc"
)

// root is that of the module, seen from here.
const root = "../.."

// module returns the rules of this module.
func module(t *testing.T) (r Rules) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, tables))
	if err != nil {
		t.Fatal(err)
	}
	d := yamldoc.Document{Name: tables}
	if err := d.Parse(text); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// The tree is as the tables say.
func TestArchitecture(t *testing.T) {
	rules := module(t)
	tree, err := ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	loops, err := rules.CheckMaps(tree)
	if err != nil {
		t.Error(err)
	}
	for _, f := range append(rules.Check(tree), loops...) {
		t.Error(f)
	}
}
