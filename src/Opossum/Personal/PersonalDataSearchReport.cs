namespace Opossum;

/// <summary>Where a text lies, in plain, in a store's folder.</summary>
/// <param name="Total">How often it was found.</param>
/// <param name="Hits">The first 1,000 places.</param>
/// <param name="Files">The number of files that were searched, to their end.</param>
/// <param name="Bytes">The number of bytes that were searched.</param>
/// <param name="Unsearched">What could not be searched, at most the first 1,000: the answer is not complete unless this is empty.</param>
/// <param name="Person">What the folder of keys has for the text as a person's tag; null when it is not a tag.</param>
public sealed record PersonalDataSearchReport(long Total, IReadOnlyList<PersonalDataHit> Hits, long Files, long Bytes,
    IReadOnlyList<PersonalDataUnsearched> Unsearched, PersonKey? Person);
