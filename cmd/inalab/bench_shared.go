package main

import (
	"errors"
	"slices"

	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// planOf lays out the topology of a benchmark.
func planOf(topology string, params gen.Params) (*plan.Plan, error) {
	g, err := gen.ByName(topology, params)
	if err != nil {
		return nil, err
	}
	return plan.New(g)
}

// checkSums returns the error of a benchmark in which some sums were wrong.
func checkSums[Row any](rows []Row, wrong func(Row) uint64) error {
	if slices.ContainsFunc(rows, func(r Row) bool { return wrong(r) > 0 }) {
		return failed(errors.New("some sums were wrong"))
	}
	return nil
}
