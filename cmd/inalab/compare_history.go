package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/history"
	"github.com/inalab/inalab/reports/render"
)

// historyFlags are the options of inalab compare --history.
type historyFlags struct {
	on, rebuild bool
	out         string
}

// showHistory brings the index up to date, and shows what is selected of it.
func showHistory(c *cobra.Command, args []string, f compareFlags) error {
	selection, err := history.ParseSelection(args)
	if err != nil {
		return usage(err)
	}
	options, err := f.options(c.OutOrStdout())
	if err != nil {
		return err
	}
	runs, refused, err := readHistory(c, f)
	if err != nil {
		return usage(err)
	}
	list := history.Entries(runs, selection)
	table := history.Table(list)
	for _, why := range refused {
		table.Notes = append(table.Notes, "no part: "+why)
	}
	if len(list) == 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("nothing is selected of %d runs in %s", len(runs), f.results))
	}
	if err := render.Write(c.OutOrStdout(), table, options); err != nil {
		return err
	}
	return usage(saveTrend(c, list, f))
}

// readHistory returns all runs that the index has once it is up to date.
func readHistory(c *cobra.Command, f compareFlags) (runs []*history.Run, refused []string, err error) {
	x, err := history.Open(f.results, f.history.rebuild)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range x.Notes {
		fmt.Fprintf(c.ErrOrStderr(), "inalab: %s\n", n)
	}
	err = errors.Join(x.Update(), journal.CurrentCaller().Chown(x.Path()))
	if err == nil {
		runs, refused, err = x.Runs()
	}
	return runs, refused, errors.Join(err, x.Close())
}

// saveTrend draws the trend, if there is anything to draw.
func saveTrend(c *cobra.Command, list []history.Entry, f compareFlags) error {
	drawn, ok := history.Figure(list)
	if !ok {
		return nil
	}
	var svg bytes.Buffer
	if err := figure.Write(&svg, drawn); err != nil {
		return err
	}
	out := f.history.out
	if out == "" {
		out = filepath.Join(f.results, "history.svg")
	}
	return saveFile(streams{c.OutOrStdout(), c.ErrOrStderr()}, "figure", out, svg.Bytes())
}
