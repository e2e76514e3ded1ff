package arch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The checker is checked: each rule is shown a small tree that breaks it, and
// one that comes close without breaking it. That each row of the module's own bans
// is found is tested beside them.

// small is a set of rules over the module "m", with two upper levels and one of
// machines.
func small() Rules {
	return Rules{
		Module: "m",
		Levels: []Level{
			{1, "top", []string{"cmd/**", "drv/tool/**", "low/a/top/*"}},
			{2, "drivers", []string{"drv/**", "view/**", "low/a/**"}},
			{3, "machines", []string{"core/**", "drv/pure/**", "low/*"}},
		},
		Confined: []Confinement{{"view/**", []string{"view/**", "core/rec"}, "made from records"}},
		Machines: 3,
		Machine: []Ban{
			{"import", []string{"import os/**", "import time", "dot import"}, "why", "fix"},
			{"clock", []string{"use time.Now"}, "why", "fix"},
			{"goroutine", []string{"go statement", "select statement", "channel type"}, "why", "fix"},
			{"map order", []string{"use maps.Keys", "use maps.Values", "range over a map"}, "why", "fix"},
		},
		Test: []Ban{{"sleep", []string{"use time.Sleep"}, "why", "fix"}},
		File: []Ban{{"init", []string{"func init"}, "why", "fix"}, {"name", []string{"package util"}, "why", "fix"}},
	}
}

// with returns the small rules after one change.
func with(change func(*Rules)) Rules {
	r := small()
	change(&r)
	return r
}

// levelled returns the small rules with entries of level 1 more.
func levelled(entries ...string) Rules {
	return with(func(r *Rules) { r.Levels = append(r.Levels, Level{1, "more", entries}) })
}

func paired(from, to string) Rules {
	return with(func(r *Rules) { r.Sideways = []Pair{{from, to, "because"}} })
}

func related(folder string) Rules {
	return with(func(r *Rules) { r.Families = []Family{{folder, "because"}} })
}

func allowing(what string) Rules {
	return with(func(r *Rules) { r.Allowed = []Pair{{"core", what, "because"}} })
}

// sources are the files of a tree by name.
type sources map[string]string

// doc begins a documented file of package p.
const doc = "// Package p is documented.\npackage p\n"

// machine is a tree with one file in a machine.
func machine(code string) sources { return sources{"core/a.go": doc + code} }

// importing is a tree of two packages, the first of which imports the second.
func importing(from, to string) sources {
	return sources{from + "/a.go": doc + `import _ "m/` + to + `"`, to + "/a.go": doc}
}

// parse makes a tree.
func parse(t *testing.T, files sources) Tree {
	t.Helper()
	var tree Tree
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := tree.Add(name, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// broken is rules and a tree that breaks some of them.
type broken struct {
	rules Rules
	files sources
	want  string // the findings, each "file:line: rule", joined by " + "
}

func (b broken) run(t *testing.T) {
	found := b.rules.Check(parse(t, b.files))
	var got []string
	for _, f := range found {
		got = append(got, f.At+": "+f.Rule)
		if f.What == "" || f.Why == "" || f.Fix == "" {
			t.Errorf("finding does not say what, why and how to fix: %+v", f)
		}
	}
	if strings.Join(got, " + ") != b.want {
		t.Errorf("got findings %v, want %q", found, b.want)
	}
}

func TestLevels(t *testing.T) {
	for name, b := range map[string]broken{
		"import downwards":           {small(), importing("cmd", "core"), ""},
		"import upwards":             {small(), importing("core", "drv"), "core/a.go:3: level"},
		"import upwards in a test":   {small(), sources{"core/a.go": doc, "core/a_test.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, ""},
		"child upwards":              {small(), importing("drv/pure", "drv"), "drv/pure/a.go:3: level"},
		"longest entry, first":       {small(), importing("drv/tool", "drv"), ""},
		"name before children":       {levelled("low/b"), importing("low/b", "low/c"), ""},
		"name before folder":         {levelled("drv"), importing("drv", "drv/x"), ""},
		"children before all below":  {levelled("drv/*"), importing("drv/x", "drv"), ""},
		"longest before kind":        {small(), importing("low/a/top/x", "low/a/top"), ""},
		"all below a child":          {small(), importing("low/a/x", "low/c"), ""},
		"children are not all below": {small(), sources{"low/b/x/a.go": doc}, "low/b/x: level"},
		"folder is not its child":    {small(), sources{"low/a.go": doc}, "low: level"},
		"package without a level":    {small(), sources{"other/a.go": doc}, "other: level"},
		"entry twice":                {levelled("cmd/**"), sources{"cmd/a.go": doc}, "architecture.yaml: level"},
		"entry without a package":    {levelled("gone"), sources{"cmd/a.go": doc}, "architecture.yaml: stale"},
		"pattern without a package":  {levelled("gone/*", "gone/**"), sources{"cmd/a.go": doc}, ""},
		"confined, granted":          {small(), importing("view", "core/rec"), ""},
		"confined, other":            {small(), importing("view", "core"), "view/a.go:3: confined"},
	} {
		t.Run(name, b.run)
	}
}

func TestSideways(t *testing.T) {
	siblings := importing("drv/x/a", "drv/x/b")
	for name, b := range map[string]broken{
		"siblings":                     {small(), siblings, "drv/x/a/a.go:3: level"},
		"parent":                       {small(), importing("drv/x/b", "drv/x"), ""},
		"grandparent":                  {small(), importing("drv/x/b", "drv"), ""},
		"child":                        {small(), importing("drv", "drv/x"), ""},
		"the beginning of a name":      {small(), importing("drv/xy", "drv/x"), "drv/xy/a.go:3: level"},
		"family":                       {related("drv/x"), siblings, ""},
		"family of a pattern":          {related("drv/*"), siblings, ""},
		"cousins":                      {related("drv/x"), importing("drv/x/a/y", "drv/x/b/y"), ""},
		"two families of one pattern":  {related("drv/*"), importing("drv/x/a", "drv/y/a"), "drv/x/a/a.go:3: level"},
		"family does not lift a level": {related("drv"), importing("drv/pure", "drv/x"), "drv/pure/a.go:3: level + architecture.yaml: stale"},
		"family of parents":            {related("drv/x"), importing("drv/x/a", "drv/x"), "architecture.yaml: stale"},
		"stale family":                 {related("drv/x"), sources{"drv/x/a/a.go": doc, "drv/x/b/a.go": doc}, "architecture.yaml: stale"},
		"family that is not there":     {related("drv/x"), sources{"cmd/a.go": doc}, "architecture.yaml: stale"},
		"family to come":               {related("drv/*"), sources{"cmd/a.go": doc}, ""},
		"listed pair":                  {paired("drv/x/a", "drv/x/**"), siblings, ""},
		"listed the other way":         {paired("drv/x/b", "drv/x/a"), importing("drv/x/a", "drv/x/b"), "drv/x/a/a.go:3: level + architecture.yaml: stale"},
		"listed for another":           {paired("drv/x/c", "drv/x/b"), siblings, "drv/x/a/a.go:3: level + architecture.yaml: stale"},
		"pair of a family": {
			with(func(r *Rules) {
				r.Families, r.Sideways = []Family{{"drv/x", "because"}}, []Pair{{"drv/x/a", "drv/x/b", "because"}}
			}), siblings, "architecture.yaml: stale",
		},
		"pair does not lift the level":  {paired("core", "drv"), importing("core", "drv"), "core/a.go:3: level + architecture.yaml: stale"},
		"stale pair":                    {paired("drv/x/a", "drv/x/b"), sources{"drv/x/a/a.go": doc, "drv/x/b/a.go": doc}, "architecture.yaml: stale"},
		"pair of parent and child":      {paired("drv", "drv/x"), importing("drv", "drv/x"), "architecture.yaml: stale"},
		"pair of two levels":            {paired("cmd", "core"), importing("cmd", "core"), "architecture.yaml: stale"},
		"pair that is not there":        {paired("drv/x/a", "drv/x/b"), sources{"drv/x/a/a.go": doc}, "architecture.yaml: stale"},
		"pair to come":                  {paired("drv/x/**", "drv/y"), sources{"drv/y/a.go": doc}, ""},
		"pair to come has come, unused": {paired("drv/x/**", "drv/y"), sources{"drv/y/a.go": doc, "drv/x/a.go": doc}, "architecture.yaml: stale"},
	} {
		t.Run(name, b.run)
	}
}

func TestBans(t *testing.T) {
	for name, b := range map[string]broken{
		"import":                   {small(), machine(`import _ "os"`), "core/a.go:3: import"},
		"import of a child":        {small(), machine(`import _ "os/exec"`), "core/a.go:3: import"},
		"dot import":               {small(), machine(`import . "fmt"`), "core/a.go:3: import"},
		"import elsewhere":         {small(), sources{"drv/a.go": doc + `import _ "os"`}, ""},
		"import in a test":         {small(), sources{"core/a.go": doc, "core/a_test.go": doc + `import _ "os"`}, ""},
		"allowed import":           {allowing("import os"), machine(`import _ "os"`), ""},
		"allowed, of a child":      {allowing("import os"), machine(`import _ "os/exec"`), "core/a.go:3: import + architecture.yaml: stale"},
		"stale permission":         {allowing("import os"), machine(""), "architecture.yaml: stale"},
		"needless permission":      {allowing("import fmt"), machine(`import _ "fmt"`), "architecture.yaml: stale"},
		"clock under another name": {allowing("import time"), machine("import clock \"time\"\nvar now = clock.Now"), "core/a.go:4: clock"},
		"time without the clock":   {allowing("import time"), machine("import \"time\"\nvar d time.Duration"), ""},
		"go statement":             {small(), machine("func f() {\n\tgo f()\n}"), "core/a.go:4: goroutine"},
		"select statement":         {small(), machine("func f() {\n\tselect {}\n}"), "core/a.go:4: goroutine"},
		"channel":                  {small(), machine("var c = make(chan int)"), "core/a.go:3: goroutine"},
		"goroutine elsewhere":      {small(), sources{"drv/a.go": doc + "func f() { go f() }"}, ""},
		"goroutine in a test":      {small(), sources{"core/a.go": doc, "core/a_test.go": doc + "func f() { go f() }"}, ""},
		"maps.Keys":                {small(), machine("import \"maps\"\nvar k = maps.Keys(m)"), "core/a.go:4: map order"},
		"maps.Values, typed":       {small(), machine("import \"maps\"\nvar k = maps.Values[M](m)"), "core/a.go:4: map order"},
		"maps.Keys, collected":     {small(), machine("import (\n\"maps\"\n\"slices\"\n)\nvar k = slices.Collect(maps.Keys(m))"), "core/a.go:7: map order"},
		"maps.Keys, sorted":        {small(), machine("import (\n\"maps\"\n\"slices\"\n)\nvar k = slices.Sorted(maps.Keys(m))"), ""},
		"init":                     {small(), sources{"cmd/a.go": doc + "func init() {}"}, "cmd/a.go:3: init"},
		"init in a test":           {small(), sources{"cmd/a.go": doc, "cmd/a_test.go": doc + "func init() {}"}, "cmd/a_test.go:3: init"},
		"generated init":           {small(), sources{"cmd/a.go": "// Code generated by x. DO NOT EDIT.\n\n" + doc + "func init() {}"}, ""},
		"method init":              {small(), sources{"cmd/a.go": doc + "type t int\nfunc (t) init() {}"}, ""},
		"package util":             {small(), sources{"cmd/a.go": "// Package util is.\npackage util\n"}, "cmd/a.go:2: name"},
		"package util_test":        {small(), sources{"cmd/a.go": doc, "cmd/a_test.go": "package util_test\n"}, "cmd/a_test.go:1: name"},
		"no package comment":       {small(), sources{"cmd/a.go": "package p\n"}, "cmd: doc"},
		"comment in a test":        {small(), sources{"cmd/a.go": "package p\n", "cmd/a_test.go": doc}, "cmd: doc"},
		"sleep in a test":          {small(), sources{"cmd/a.go": doc, "cmd/a_test.go": doc + "import \"time\"\nvar s = time.Sleep"}, "cmd/a_test.go:4: sleep"},
		"sleep elsewhere":          {small(), sources{"cmd/a.go": doc + "import \"time\"\nvar s = time.Sleep"}, ""},
		"ignored file":             {small(), sources{"cmd/a.go": doc, "cmd/b.go": "//go:build ignore\n\npackage main\nfunc init() {}"}, ""},
	} {
		t.Run(name, b.run)
	}
}
