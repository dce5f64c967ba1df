"""The words of docs/fusion-study.md; figures in braces, and all tables, come from the results."""

INTRODUCTION = """\
# Fusion: a study

Which way of putting BM25 and a dense leg together finds best, how much does the quality of the
dense leg matter, and what does plait's default, `auto`, bring? nDCG@10 on {collections} collections
in {families} families, with up to five dense legs each: {pairs} pairs in all. Legs, fusions and
measures are plait's own. One command makes the results and this page, in about ten minutes on two
cores when the vectors are there; [all results](fusion-study-tables.md) has every method on every
pair.

```
python benchmarks/fusion_study --data DIR --vectors DIR --cache DIR
```

## In short

* **RRF(60) with equal weights is no safe default.** Its mean is {rrf}, below BM25 alone ({bm25})
  and below the better leg of each pair ({better}); on {rrf_worse} of {families} families it is
  really worse than the better leg. With a small constant it loses less (`rrf(k=2)`: {rrf2}).
* **Scores beat ranks, and weights beat methods.** With equal weights `rsf()` has {rsf} and
  `zscore()` {zscore}; with a dense part of .3 `rsf()` has {rsf3}, and with the best weight for each
  pair, which nobody knows beforehand, {best}. The best one
  is anywhere from {least} to {most}.
* **A collection can learn its weight from its own text.** `auto` with weights from
  `plait tune --self` has {chunks}, and follows a strong dense leg as it follows BM25 where the
  dense leg is useless. Not tuned, `auto` is no better than a fixed weight of .3, and far from a
  strong dense leg: tune it.
* **It is not safe everywhere.** Really more than 0.02 behind the better leg: {losing}.

`auto` here has constants that were chosen on the other families (see below). "Drawing families too"
is the interval when the families are drawn again as well: what to expect of other collections. It
is wide, for the families differ far more than the methods do.
"""

NOTES = {
    "collections": """\

## What was measured

A collection is indexed by plait with its defaults: language guessed from the texts, BM25 and
cosine, 200 candidates of each leg unless said. A document is one chunk, so that the study is of
fusion and not of cutting. At most 600 questions of a collection are asked, a seeded sample.
Parallel collections are one family: translations of one set are little more evidence than one of
them. Every mean is over the dense legs of a collection, then over the collections of a family, then
over families. Intervals are 95 % bootstrap intervals over questions. "Really" means p < 0.05 in
paired randomization tests with Holm's correction, over the families or over the methods of a pair.

**RRF(60)** is the common default: equal weights, `k = 60`, 100 candidates of each leg, as in a
hybrid that is told nothing. The **better leg** is the one that is better on the questions asked, by
pair; the **best fixed weight** is that of `rsf()` on the same questions. Both are known only
afterwards.
""",
    "methods": """\

## Methods

All dense legs together. "Families + / −": on how many families the method is really better and
really worse.
""",
    "classes": """\

### By the strength of the dense leg

Weak dense legs make RRF look worse than it does to the user of a good model. "A model of the
language" is MiniLM for English, multilingual E5 and USE elsewhere. The simulated leg is MiniLM with
the cosines of relevant documents raised by two standard deviations of the best 200, times a random
factor of mean 1: for questions, and in the same manner for the sentences that `plait tune --self`
asks, so that what is learned from these can see it. In brackets: over RRF(60).
""",
    "auto": """\

## auto

`auto` is `rsf()` with each leg trusted per query as far as its first hit matches the query
(coverage) and stands out (lead), and with weights that a collection can learn:

* **untuned**: a prior weight, and the trust.
* **own chunks**: weights from `plait tune --self`: 300 sentences are taken out of chunks and asked,
  and the mix is taken that finds the rest of their chunks; see [fusion.md](fusion.md).
* **+ queries**: the same with `--queries`: each sentence counts as far as it is like what users
  ask. No judgments are used. Here the log is the collection's own questions.

One family is left out in turn: the prior weight, the exponents of coverage and lead, and how many
standard errors the rule allows are those that are best on the other families. What is not held
out is the design, which was made with these collections in view: that sentences are asked, and
which signs of trust there are.
""",
    "constants": """\

### Constants

What the other families chose, and what plait ships. The shipped ones were chosen with all of these
collections in view, so where their figures are higher they are a little too good. The mean depends
little on the constants, and the choice among them is noisy.
""",
    "parts": """\

### What each part brings

`auto` without its trust, and with one sign of it, constants chosen with one family left out. The
trust helps where weights were not learned, and little or nothing where they were.
""",
    "loss": """\

### Against the better leg

What `auto` loses against the better leg of each pair (− is a gain), and p for "loses more than
0.02", one-sided and with Holm's correction over the families, where it is below 1.
""",
    "windows": """\

## Windows

Family means by candidates of each leg, on collections above 2,000 documents. RRF and `dbsf()` get
worse the more candidates they see, since more of them agree by chance; min-max and z-scores do not
care much.
""",
    "weights": """\

## Weights

Family means by the part of the dense leg, on the same collections, 200 candidates of each leg.
""",
    "filled": """\

## Filling

With `fill=True` each leg also scores the hits that only the other one returned. It repairs methods
for which an absent hit counts as the worst, and brings little once the weights are right; it
costs a second look-up in each leg, and is off by default.
""",
    "hurts": """\

## Where RRF hurts, and why

Of each collection the dense leg with which RRF(60) is furthest behind the better leg, where that
is really more than 0.02. The weaker leg does not return what the better one finds, and a hit of
one leg cannot beat two mediocre agreeing ranks; or it does, but has other hits at the top; or the
questions' words are not in the collection, and BM25 goes by what is left of them.
""",
    "fails": """\

## Where auto with weights from its own chunks hurts

Pairs on which it is really more than 0.02 behind the better leg, with the part that the dense leg
got in brackets.
""",
    "tables": """\
# Fusion: all results

The tables behind [the study](fusion-study.md): nDCG@10 with its 95 % bootstrap interval. + and −:
really better and worse than RRF(60) with a window of 100; ▲ and ▼: than the better leg of the pair;
paired randomization tests with Holm's correction over the methods of a pair.
""",
}

LIMITS = """\

## What fell short

* **cosqa**: questions in prose, documents in code. Sentences taken out of code are not like the
  questions, so the chunks do not show that the dense leg is the better one. A query log helps in
  part; judged queries and `plait tune` find it.
* **xquad-th**: no marks end a sentence in Thai, so few can be taken out, and the prior stays. In
  Arabic and Hindi the same models were given next to no weight.
* **`auto` untuned** is no better than `rsf()` with a dense part of .3 or `zscore()` when its
  constants are chosen elsewhere, and stays behind the better leg where one leg is useless or far
  better.
* **`zscore()` with equal weights** does as well as `auto` with weights from the chunks where the
  dense leg fits the language ({zscore_fit} and {chunks_fit}), with nothing to learn. It falls
  behind where a leg is weak, and follows a strong one less far.
* The log of "+ queries" is the very questions that are measured, without their judgments; a real
  log is larger and less like them.
* Eleven families, most of them English, are few to choose constants on, and to promise anything
  for other collections: see the intervals with families drawn.
* The strong dense leg is simulated. Real ones err where BM25 errs more often than it does.
* debian-descriptions, the only large collection, has one weak dense leg. Only two legs, documents
  in one piece, and nDCG@10 were looked at.
"""
