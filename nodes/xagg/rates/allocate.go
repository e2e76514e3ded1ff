package rates

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Allocate divides an ingress bandwidth among children that can send at most at their demands, so
// that the rates are max-min fair: none can rise without lowering one that is not higher. Where
// the least rate would exceed egress, the child with the least demand (the last of several) is
// held to egress and the others share the rest. A negative egress bounds nothing. Rates are whole
// bit/s; bits that cannot be shared evenly go to those with the highest demands. See inequality (1), XAgg §IV-C.
func Allocate(ingress, egress units.Rate, demands []units.Rate) []units.Rate {
	rates := share(ingress, demands)
	if len(demands) == 0 || egress < 0 || slices.Min(rates) <= egress {
		return rates
	}
	held := slowest(demands)
	capped := slices.Clone(demands)
	capped[held] = egress
	return share(ingress, capped)
}

// slowest returns the last child of those with the least demand.
func slowest(demands []units.Rate) int {
	at := 0
	for i, d := range demands {
		if d <= demands[at] {
			at = i
		}
	}
	return at
}

// share is max-min within a sum: children in the order of their demands each take an even part of
// what is left, or their demand if that is less.
func share(total units.Rate, demands []units.Rate) []units.Rate {
	order := make([]int, len(demands))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(demands[a], demands[b]) })
	rates := make([]units.Rate, len(demands))
	left := total
	for n, i := range order {
		rates[i] = min(demands[i], left/units.Rate(len(order)-n))
		left -= rates[i]
	}
	return rates
}
