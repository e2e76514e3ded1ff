// Package testbed has the settings of the papers' testbeds, as experiments under
// both clocks take them: link rates, packet sizes, loss rates, systems, straggling
// probabilities, and the models with the compute times of SwitchML Table 1.
package testbed
