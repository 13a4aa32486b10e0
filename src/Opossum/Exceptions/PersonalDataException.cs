namespace Opossum;

/// <summary>
/// Thrown when personal data cannot be encrypted or decrypted: the master key is missing or is another one, a key file is damaged or belongs to
/// another person, a person was forgotten, or an encrypted value was moved to another event or member.
/// </summary>
public sealed class PersonalDataException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file or folder that causes the error; null when it is not a file.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="isTransient">Whether the same call may succeed later without a change.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    public PersonalDataException(string? path, string message, bool isTransient = false, Exception? innerException = null)
        : base(message, innerException)
    {
        Path = path;
        IsTransient = isTransient;
    }

    /// <summary>The file or folder that causes the error; null when it is not a file.</summary>
    public string? Path { get; }

    /// <summary>
    /// The person, if the person was forgotten: then the same data of this person is always refused. Null: something else is wrong, such as a missing
    /// key.
    /// </summary>
    public Tag? ForgottenPerson { get; init; }

    /// <summary>Whether the same call may succeed later without a change, as when another program holds a key file.</summary>
    public override bool IsTransient { get; }
}
