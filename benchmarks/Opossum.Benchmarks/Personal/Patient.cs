namespace Opossum.Benchmarks.Personal;

/// <summary>An event with one personal member.</summary>
/// <param name="PatientId">The person.</param>
/// <param name="Note">What is personal.</param>
/// <param name="Ward">What is not.</param>
[EventType("patient-noted")]
internal sealed record Patient([property: Tag("patient")] string PatientId, [property: Personal("patient")] string? Note, string Ward)
{
    public const string Secret = "a finding that nobody else may read";

    /// <summary>The options of a store with such events.</summary>
    public static OpossumOptions Options(string path, IMasterKey? masterKey) => new()
    {
        Path = path,
        EventTypes = new EventTypeRegistry().Add<Patient>().Add<Visit>(),
        PersonalData = { MasterKey = masterKey },
    };
}
