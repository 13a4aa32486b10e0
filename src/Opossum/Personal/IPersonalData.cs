using Opossum.Maintenance;

namespace Opossum;

/// <summary>The personal data of a store; a host that has a store injects it as well.</summary>
public interface IPersonalData
{
    /// <summary>
    /// Forgets a person: removes the person's key for good, so that everything that was encrypted with it can no longer be read, and then appends a
    /// <see cref="PersonForgotten"/> event with the person's tag. No event file changes.
    /// </summary>
    /// <param name="subject">
    /// The person, by the tag that <see cref="PersonalAttribute"/> names, such as <c>customer:c1</c>. A person who has keys under an identifier
    /// and under its pseudonym loses both, if there is a master key; two events say so.
    /// </param>
    /// <param name="reason">
    /// The reason, for the record: it is stored readable, so it must not contain personal data. At most 1,000 characters.
    /// </param>
    /// <param name="cancellationToken">Cancels before the first step. A call that was interrupted later is finished by calling again.</param>
    /// <returns>What was done. A person who was already forgotten is not forgotten again.</returns>
    /// <remarks>
    /// This process drops the key at once, every other process that has the store open within a second. The person's key is not made again:
    /// later appends of personal data with this subject fail. What the key cannot reach stays: tags, copies that an app made, and keys in a backup.
    /// </remarks>
    /// <exception cref="ArgumentException">The reason is empty or too long, or the subject is <c>default(Tag)</c>.</exception>
    /// <exception cref="NotSupportedException">The store was opened for reading only.</exception>
    /// <exception cref="PersonalDataException">
    /// The folder of keys cannot be written, or the store's keys are missing: call again; or the subject is a pseudonym, or the keys may be another
    /// store's, and there is no master key.
    /// </exception>
    /// <exception cref="EventStoreException">The event could not be appended, as with any append; the key is gone. Call again.</exception>
    Task<ForgetResult> ForgetAsync(Tag subject, string reason, CancellationToken cancellationToken = default);

    /// <summary>
    /// Searches everything in the store's folder for the values of a person that stand there in plain: before the person is forgotten, because
    /// afterwards nobody can read those that are encrypted, as the report then says. See <see cref="PersonalDataSearch"/>.
    /// </summary>
    /// <param name="subject">The person.</param>
    /// <param name="progress">Receives the number of files. If it throws, it is not called again.</param>
    /// <param name="cancellationToken">Stops the search.</param>
    /// <remarks>
    /// Case counts, and a value is not found within another word or number. Texts of fewer than 3 characters and numbers of fewer than 4 digits are
    /// not searched for: they stand in too many other texts. Nor are names of members, as the keys of a personal dictionary.
    /// </remarks>
    /// <exception cref="PersonalDataException">There is no master key, or the keys are missing.</exception>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    Task<PersonalDataSearchReport> FindInPlainAsync(Tag subject, IProgress<StoreProgress>? progress = null,
        CancellationToken cancellationToken = default);

    /// <summary>
    /// Makes the store's own key of personal data, if the store never had one, or had the one that <see cref="PersonalDataOptions.LostStoreKey"/> gives
    /// up. The first append of personal data does the same.
    /// </summary>
    /// <param name="cancellationToken">Keeps it from beginning.</param>
    /// <returns>The id of the store's key, which is not the key.</returns>
    /// <exception cref="NotSupportedException">The store was opened for reading only.</exception>
    /// <exception cref="PersonalDataException">There is no master key, or the keys are missing, and not given up.</exception>
    Task<string> MakeStoreKeyAsync(CancellationToken cancellationToken = default);
}
