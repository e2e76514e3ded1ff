package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

func newSwitchSet() *cobra.Command {
	var f switchFlags
	var w dataplane.Write
	var program string
	c := &cobra.Command{
		Use:   "set NAME VALUE",
		Short: "Write a running program in Microcode by its names",
		Long: `Writes a number in the shared memory of a program in Microcode, in every PFE whose program
has that name. NAME is one of "inalab switch show symbols", followed by fields and indexes:
limit, limits[3].burst, or sources[10.1.0.2].seen, where the index of a record of the hash
table is its key. VALUE is a number, true or false; of 32 bits also an IPv4 address, of 48
bits a MAC. What the type cannot hold is refused.

A route is ROUTES[10.1.0.0/16], and its value a next hop. A term of a filter is FILTER[web], by
its name, or FILTER[0]; its value is what it wants of fields and what the program gets, as
"src=10.1.0.0/16 dport=80 value=1". FILTER[0].dport and FILTER[0].value are parts of it. A new
term comes behind all others. "none" takes a route or a term out.

COUNTER.every is the number of packets or bytes at whose multiples a counter starts a thread of
its statistics entry; "never" ends that.

A thread that has read the number before goes on with what it has read. Registers and local
memory are each thread's own, and cannot be written.` + switchCodes,
		Example: `  inalab switch set heavy_bytes.bytes 65536
  inalab switch set 'sources[10.1.0.2].blocked' 1 --create
  inalab switch set 'routes[10.1.0.0/16]' 3 --create
  inalab switch set 'refused[web]' 'dst=10.1.0.2 dport=80 value=1' --create`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			w.Name, w.Value = args[0], args[1]
			r := control.Request{Op: control.OpSet, Program: program, Set: &w}
			return f.ask(c, r, func(lab string, answer control.Response) render.Table {
				return setTable(fmt.Sprintf("written on %s, lab %s", answer.Switch, lab), answer.Written)
			})
		},
	}
	f.register(c.Flags())
	c.Flags().BoolVar(&w.Create, "create", false, "make the record of the hash table, the route or the term, if it is not there")
	c.Flags().StringVar(&program, "program", "", "one program of a PFE (default: all that have the name)")
	return c
}

func setTable(title string, written []control.Written) render.Table {
	t := render.Table{ID: "switch.set", Title: title, Columns: []render.Column{
		{Key: "pfe", Name: "pfe"}, {Key: "program", Name: "program"}, {Key: "name", Name: "name"}, {Key: "type", Name: "type"},
		{Key: "address", Name: "address"}, {Key: "was", Name: "was", Align: render.Right}, {Key: "is", Name: "is", Align: render.Right},
	}}
	for _, w := range written {
		was := render.Text(w.Was)
		if w.Created {
			was = render.NA()
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(w.PFE), render.Text(w.Program), render.Text(w.Name), render.Text(w.Type), render.Text(w.Address), was, render.Text(w.Is),
		})
	}
	return t
}
