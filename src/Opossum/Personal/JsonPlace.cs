namespace Opossum.Personal;

/// <summary>A place in a JSON file.</summary>
/// <param name="Member">The path of the member.</param>
/// <param name="Start">Where the member's value begins, of a text after the quotation mark; or its name, if that is the place.</param>
/// <param name="End">Where it ends.</param>
internal readonly record struct JsonPlace(string Member, int Start, int End);
