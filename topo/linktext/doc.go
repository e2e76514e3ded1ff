// Package linktext is what files say of links: scenarios and topology files share it.
//
//	{rate: 10Gbit/s, delay: 5us, loss: 1%}           a Link: over what holds already
//	{at: h*, loss: 1%}                               an At: some links of a graph
//	{time: 2s, link: {from: h0, rate: 1Gbit/s}}      an Event: the same, from a time on
//
// Quantities are text, so that a bad one is reported where it stands: a [Place] is a file that
// can say so. Reading goes on after a fault. A further impairment is a field of [Link], and a
// line of its reader.
package linktext
