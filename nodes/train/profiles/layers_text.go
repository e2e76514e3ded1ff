package profiles

// bertLarge returns the large BERT (Devlin et al., "BERT: Pre-training of Deep
// Bidirectional Transformers for Language Understanding", 2018, uncased) with
// the layer that answers questions. The pooling layer is not in it: question
// answering does not use it, and so it has no gradient. Tables and norms count
// as no arithmetic, and neither do the products of attention, which have no
// parameters.
func bertLarge() []Tensor {
	const vocabulary, positions, segments, hidden, inner, layers = 30522, 512, 2, 1024, 4096, 24
	n := network{}
	n.add("embeddings.word", vocabulary*hidden, 0)
	n.add("embeddings.position", positions*hidden, 0)
	n.add("embeddings.segment", segments*hidden, 0)
	n.channels, n.side = hidden, 1
	n.norm("embeddings.norm")
	for l := range layers {
		at := name("layer", l)
		for _, matrix := range []string{".query", ".key", ".value", ".output"} {
			n.linear(at+matrix, hidden)
		}
		n.norm(at + ".attention.norm")
		n.linear(at+".inner", inner)
		n.linear(at+".outer", hidden)
		n.norm(at + ".norm")
	}
	n.linear("answer", 2) // start and end
	return n.tensors
}

// neuMF returns neural matrix factorisation for ML-20m (He et al., "Neural
// Collaborative Filtering", WWW 2017) in the shape that NVIDIA's public examples
// have: 64 factors, and a perceptron of 256, 256, 128, 64. The paper does not
// state the shape; this one is assumed, as it makes the printed size. No tensor
// has MACs: the work of this model is its tables, not its arithmetic.
func neuMF() []Tensor {
	const users, items, factors, embedding = 138493, 26744, 64, 128
	n := network{}
	n.add("mf.user", users*factors, 0)
	n.add("mf.item", items*factors, 0)
	n.add("mlp.user", users*embedding, 0)
	n.add("mlp.item", items*embedding, 0)
	in := 2 * embedding
	for i, out := range []int{256, 128, 64} {
		n.add(name("mlp", i)+".weight", in*out, 0)
		n.add(name("mlp", i)+".bias", out, 0)
		in = out
	}
	n.add("final.weight", factors+in, 0)
	n.add("final.bias", 1, 0)
	return n.tensors
}
